// One upstream connection.

import { type Static, Type } from '@sinclair/typebox';
import { changeOf, closedObject, type InCode, line, nullable, words } from './fields.js';
import { firmName } from './firm.js';

export const CHANNEL_KINDS = ['simulator', 'smpp'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** Settings of a kind of channel. */
export type ConfigObject = Readonly<Record<string, unknown>>;

export const ChannelFields = closedObject({
  name: line(200, 'What people call it.'),
  kind: words(CHANNEL_KINDS, { description: 'Who answers on the other end. A channel keeps its kind for good.' }),
  firms: Type.Array(firmName, { minItems: 1, maxItems: 1000, description: 'The firms it serves; they must exist.' }),
  status: words(['active', 'disabled'], { default: 'active', description: 'A disabled channel carries nothing.' }),
  parts_per_second: nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
    default: null,
    description: 'Message parts a second; null: as fast as the upstream takes them.',
  }),
  failover_codes: Type.Array(line(64, 'As the upstream spells it.'), {
    maxItems: 100,
    default: [],
    description:
      'Refusals after which a number goes to the next channel of its firm that the customer may use, two more at most.',
  }),
  config: Type.Record(Type.String(), Type.Unknown(), {
    default: {},
    description:
      'Settings of its kind. In a change, fields left out keep their value and null takes one back to its default. Secret fields are never shown again.',
  }),
});
export const ChannelChanges = changeOf(ChannelFields);

/** The configuration is without its secret fields. */
export type ChannelTerms = Static<typeof ChannelFields>;

export interface ChannelHealthShown {
  readonly state: 'up' | 'degraded' | 'down';
  readonly sessions: number;
  readonly detail: string | null;
  /** The process that speaks for the channel; null when none does. */
  readonly owner: string | null;
  readonly since: string | null;
}

export interface Channel extends ChannelTerms {
  readonly channel_no: string;
  readonly health: ChannelHealthShown;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** As the service uses it: the configuration has its secret fields in the clear. Never logged, never shown. */
export interface ChannelConfig extends InCode<ChannelTerms> {
  readonly channelId: bigint;
  readonly channelNo: string;
  /** Rises with every change of the channel, so that its owner knows when to open it anew. */
  readonly version: bigint;
}
