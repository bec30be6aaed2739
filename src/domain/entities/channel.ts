// One upstream connection.

import { type Static, Type } from '@sinclair/typebox';
import type { Alphabet } from '../message/parts.js';
import { changeOf, closedObject, type InCode, line, nullable, words } from './fields.js';
import { firmName } from './firm.js';

/** Settings of a kind of channel. */
export type ConfigObject = Readonly<Record<string, unknown>>;

/** Properties of a kind that planning and dispatch need. They never change, because stored chunks depend on them. */
export interface ChannelTraits {
  /** Texts in this alphabet use its part sizes, all others those of UCS-2. */
  readonly alphabet: Alphabet;
  /** A text is one submission, however many parts it has; otherwise each part is one. The price counts parts in both cases. */
  readonly isWhole?: true;
}

/** A kind of channel as operators and forms see it. Kinds are defined by the drivers in channels, nowhere else. */
export interface ChannelKindDescription {
  readonly kind: string;
  readonly name: string;
  readonly name_zh: string;
  readonly fields: readonly ChannelKindField[];
}

export const CHANNEL_FIELD_TYPES = [
  'string',
  'integer',
  'number',
  'boolean',
  'choice',
  'strings',
  'integers',
  'json',
] as const;

/** One setting of a kind of channel. Limits that it does not have are null. */
export interface ChannelKindField {
  readonly name: string;
  readonly label: string;
  readonly type: (typeof CHANNEL_FIELD_TYPES)[number];
  readonly required: boolean;
  readonly default: unknown;
  /** Stored sealed and never shown again. */
  readonly secret: boolean;
  readonly description: string;
  readonly description_zh: string;
  readonly choices: readonly (string | boolean)[] | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly max_length: number | null;
  readonly max_items: number | null;
}

export const ChannelFields = closedObject({
  name: line(200, 'What people call it.'),
  kind: line(32, 'The protocol it speaks: one of the kinds of channels. A channel keeps its kind.'),
  firms: Type.Array(firmName, { minItems: 1, maxItems: 1000, description: 'The carriers it serves; they must exist.' }),
  status: words(['active', 'disabled'], { default: 'active', description: 'A disabled channel carries nothing.' }),
  parts_per_second: nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
    default: null,
    description: 'Segments a second; null: as fast as the upstream takes them.',
  }),
  failover_codes: Type.Array(line(64, 'As the upstream spells it.'), {
    maxItems: 100,
    default: [],
    description:
      'Refusals after which a number goes to the next channel of its carrier that the customer may use, two more at most.',
  }),
  requires_filing: Type.Boolean({
    default: false,
    description: 'Carries only messages of service accounts whose signature is filed with it.',
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
  /** The process that owns the channel; null if none does. */
  readonly owner: string | null;
  readonly since: string | null;
}

/** The paths that the upstream calls, with their token; null for what the configuration does not take. */
export interface ChannelCallbacks {
  readonly reports: string | null;
  readonly uplinks: string | null;
  /** Until when the addresses before work too; null where there are none. */
  readonly old_until: Date | null;
}

/** After a new token is made, the one before works for so long. */
export const OLD_CALLBACK_TOKEN_HOURS = 24;

export interface Channel extends ChannelTerms {
  readonly channel_no: string;
  readonly health: ChannelHealthShown;
  /** Null for kinds that have none. */
  readonly callbacks: ChannelCallbacks | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** As the service uses it: the configuration has its secret fields in the clear. Never logged, never shown. */
export interface ChannelConfig extends InCode<ChannelTerms>, ChannelTraits {
  readonly channelId: bigint;
  readonly channelNo: string;
  /** Increases with every change of the channel: the owner then reopens it. */
  readonly version: bigint;
  /** What callback addresses of the channel have to carry; null for kinds that have none. */
  readonly callbackToken: string | null;
  /** The token before, and until when it works. */
  readonly oldCallbackToken: string | null;
  readonly oldCallbackTokenUntil: Date | null;
}
