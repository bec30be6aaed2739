// A driver implements one kind of channel: its configuration, the limits of its protocol, its metrics, and how it opens channels. The rest
// of the service knows a kind only through its driver. `registry.ts` lists the drivers.

import type { Static, TObject } from '@sinclair/typebox';
import type { ChannelKindDescription, ChannelTraits, ConfigObject } from '../domain/entities/channel.js';
import type { Fault } from '../domain/fault/fault.js';
import type { Log } from '../domain/log.js';
import type { MessageIdFormat } from '../domain/message/message-id.js';
import type { AddressGuard } from '../outbound/address-guard.js';
import type { Channel, Feedback, OpenChannel } from './channel.js';
import { checkConfig, splitSecrets } from './check-config.js';
import { cleanChannel } from './clean-channel.js';
import { cleanFeedback } from './clean-feedback.js';
import { describeFields } from './describe-fields.js';

/** A metric of each channel of a driver. Its full name is `postrider_<kind>_<name>`; the channel is a label. */
export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  /** For a histogram. */
  readonly buckets?: readonly number[];
}

/** Sets a gauge, adds to a counter, or observes a value in a histogram. */
export type Meter = (value: number) => void;

export interface DriverDeps {
  readonly log: Log;
  /** Monotonic, in milliseconds: a wall clock that is set forward would time out everything in flight. */
  readonly clock: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** From 0 to just under 1. */
  readonly random: () => number;
  /** The meter of one of the driver's metrics, for this channel. */
  readonly meter: (metric: string) => Meter;
  /** Refuses private addresses, for drivers that connect to any address that is configured. */
  readonly guard: AddressGuard;
}

/** The last segment of a callback URL: what the carrier reports there. */
export type CallbackKind = 'reports' | 'uplinks';

/** A request of the carrier to a callback URL, with a valid token. */
export interface CallbackRequest {
  readonly body: Buffer;
  /** The raw query string, without the question mark. */
  readonly query: string;
}

/** Feedback without acknowledgement: a callback is answered when it is stored, before the owner of the channel reads it. */
export type CallbackFeedback = Feedback extends infer Each
  ? Each extends Feedback
    ? Omit<Each, 'ack' | 'nack'>
    : never
  : never;

/** Returns undefined if the channel has no such callbacks, and a text if the request is malformed. */
export type ReadCallback<Config> = (
  config: Config,
  kind: CallbackKind,
  request: CallbackRequest,
) => readonly CallbackFeedback[] | string | undefined;

/** What only one active channel of a kind may have: its value, and the field to change where another has it. */
export interface ExclusiveClaim {
  readonly field: string;
  readonly value: string;
}

export interface DriverDefinition<Schema extends TObject> {
  /** In lower case. Stored with each channel, so it must never change. */
  readonly kind: string;
  /** The display name. */
  readonly name: string;
  /** Fields with `description`, limits and `default`; `writeOnly` marks a secret, `title` overrides the label. */
  readonly config: Schema;
  /** Checks rules between fields. Gets only the fields without a fault. */
  readonly refine?: (config: Partial<Static<Schema>>) => readonly Fault[];
  /** The Chinese console shows these instead of the English name and descriptions. */
  readonly zh: { readonly name: string; readonly fields: { readonly [Name in keyof Static<Schema>]-?: string } };
  /** What planning needs to know about the kind. */
  readonly traits: ChannelTraits;
  /** How message ids in reports relate to those in answers: one format for the kind, or by configuration. */
  readonly messageIdFormat: MessageIdFormat | ((config: Static<Schema>) => MessageIdFormat);
  readonly metrics?: readonly MetricDefinition[];
  /** For carriers that post reports and uplinks to a callback URL. Any process may receive them. */
  readonly readCallback?: ReadCallback<Static<Schema>>;
  /** For channels that listen: their local address. Channels with the same address must be owned by the same process. */
  readonly localPort?: (config: Static<Schema>) => string;
  /** Of a stored configuration without its secrets. Absent if channels exclude each other in nothing. */
  readonly exclusiveClaim?: (config: Partial<Static<Schema>>) => ExclusiveClaim;
  readonly open: (config: Static<Schema>, deps: DriverDeps) => Channel;
}

export type CheckedChannelConfig =
  | { readonly config: ConfigObject; readonly secret: ConfigObject }
  | { readonly faults: readonly Fault[] };

export interface ChannelDriver {
  readonly kind: string;
  readonly traits: ChannelTraits;
  readonly metrics: readonly MetricDefinition[];
  /** Shown by the operator API, the command line and the console. */
  readonly description: ChannelKindDescription;
  /** Fills in defaults, returns all faults, and separates the secret fields from the others. */
  check(input: ConfigObject): CheckedChannelConfig;
  /** Reads a request to a callback URL. Its feedback is sanitised. Absent if the kind has no callbacks. */
  readonly readCallback?: ReadCallback<ConfigObject>;
  /** The local address that a channel listens on. Absent if the kind does not listen. */
  readonly localPort?: (config: ConfigObject) => string;
  /** Of a stored configuration without its secrets. Absent if channels of the kind exclude each other in nothing. */
  readonly exclusiveClaim?: (config: ConfigObject) => ExclusiveClaim;
  /** Opens a channel with a configuration that was checked when it was stored. Its feedback is sanitised. */
  open(config: ConfigObject, deps: DriverDeps): OpenChannel;
}

export function defineDriver<Schema extends TObject>(definition: DriverDefinition<Schema>): ChannelDriver {
  const { kind, name, config: schema, refine, zh, traits, messageIdFormat, metrics = [], open } = definition;
  const { readCallback, localPort, exclusiveClaim } = definition;
  const read = (input: ConfigObject): Static<Schema> => {
    const { config, faults } = checkConfig(schema, input, refine);
    if (faults === undefined) return config;
    throw new Error(`a stored ${kind} configuration is not valid: ${JSON.stringify(faults)}`);
  };
  return {
    kind,
    traits,
    metrics,
    description: { kind, name, name_zh: zh.name, fields: describeFields(schema, zh.fields) },
    check(input) {
      const checked = checkConfig(schema, input, refine);
      return checked.faults === undefined ? splitSecrets(schema, checked.config as ConfigObject) : checked;
    },
    ...(readCallback && {
      readCallback(input, callback, request) {
        const found = readCallback(read(input), callback, request);
        return typeof found === 'object' ? found.map(cleanCallback) : found;
      },
    }),
    ...(exclusiveClaim && {
      exclusiveClaim: (stored: ConfigObject) => exclusiveClaim(stored as Partial<Static<Schema>>),
    }),
    ...(localPort && { localPort: (input: ConfigObject) => localPort(read(input)) }),
    open(input, deps) {
      const config = read(input);
      return {
        ...cleanChannel(open(config, deps), deps.log),
        messageIdFormat: typeof messageIdFormat === 'function' ? messageIdFormat(config) : messageIdFormat,
      };
    },
  };
}

function cleanCallback(feedback: CallbackFeedback): CallbackFeedback {
  const { ack: _, nack: __, ...clean } = cleanFeedback({ ...feedback, ack() {}, nack() {} } as Feedback);
  return clean as CallbackFeedback;
}
