// A driver is one kind of channel: what can be configured, what its protocol carries, what it measures, and how a channel of
// it opens. Everything else in the service learns about a kind from its driver; registry.ts lists them.

import type { Static, TObject } from '@sinclair/typebox';
import type { ChannelKindDescription, ChannelTraits, ConfigObject } from '../domain/entities/channel.js';
import type { Log } from '../domain/log.js';
import type { MessageIdFormat } from '../domain/message/message-id.js';
import type { Fault } from '../domain/request/fault.js';
import type { AddressGuard } from '../outbound/address-guard.js';
import type { Channel, Feedback, OpenChannel } from './channel.js';
import { checkConfig, splitSecrets } from './check-config.js';
import { cleanChannel } from './clean-channel.js';
import { cleanFeedback } from './clean-feedback.js';
import { describeFields } from './describe-fields.js';

/** What a driver measures of each of its channels. The full name is `postrider_<kind>_<name>`, labelled with the channel. */
export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  /** Of a histogram. */
  readonly buckets?: readonly number[];
}

/** Sets a gauge, adds to a counter, observes a value of a histogram. */
export type Meter = (value: number) => void;

export interface DriverDeps {
  readonly log: Log;
  /** Milliseconds that only grow: a wall clock that is set forward would time out everything in flight. */
  readonly clock: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** From 0 to just under 1. */
  readonly random: () => number;
  /** The meter of one of the driver's own metrics, for this channel. */
  readonly meter: (metric: string) => Meter;
  /** For upstreams whose address may be any: it refuses private ones. */
  readonly guard: AddressGuard;
}

/** What an upstream may call back about, by the last step of the address. */
export type CallbackKind = 'reports' | 'uplinks';

/** A request of the upstream to a callback address whose token is right. */
export interface CallbackRequest {
  readonly body: Buffer;
  /** As it stands in the address, without the question mark. */
  readonly query: string;
}

/** Feedback that is stored before it is acknowledged: the upstream has its answer long before the owner reads it. */
export type CallbackFeedback = Feedback extends infer Each
  ? Each extends Feedback
    ? Omit<Each, 'ack' | 'nack'>
    : never
  : never;

/** Undefined where the channel takes no such callbacks; a text says what is wrong with the request. */
export type ReadCallback<Config> = (
  config: Config,
  kind: CallbackKind,
  request: CallbackRequest,
) => readonly CallbackFeedback[] | string | undefined;

export interface DriverDefinition<Schema extends TObject> {
  /** In lower case; stored with each channel, so it never changes. */
  readonly kind: string;
  /** As people call it. */
  readonly name: string;
  /** Fields with `description`, limits and `default`; `writeOnly` marks a secret, `title` overrides the label. */
  readonly config: Schema;
  /** Rules between fields. It gets the fields that have no fault of their own. */
  readonly refine?: (config: Partial<Static<Schema>>) => readonly Fault[];
  /** The Chinese console shows these instead of the English name and descriptions. */
  readonly zh: { readonly name: string; readonly fields: { readonly [Name in keyof Static<Schema>]-?: string } };
  /** What planning needs to know: see ChannelTraits. */
  readonly traits: ChannelTraits;
  /** How reports spell the id of the answer: one rule for the kind, or by configuration. */
  readonly messageIdFormat: MessageIdFormat | ((config: Static<Schema>) => MessageIdFormat);
  readonly metrics?: readonly MetricDefinition[];
  /** For upstreams that send reports and uplinks by calling an address of ours. Any process may be called. */
  readonly readCallback?: ReadCallback<Static<Schema>>;
  /** The local address that a channel listens on, if it does. One process must have all channels with the same. */
  readonly localPort?: (config: Static<Schema>) => string;
  readonly open: (config: Static<Schema>, deps: DriverDeps) => Channel;
}

export type CheckedChannelConfig =
  | { readonly config: ConfigObject; readonly secret: ConfigObject }
  | { readonly faults: readonly Fault[] };

export interface ChannelDriver {
  readonly kind: string;
  readonly traits: ChannelTraits;
  readonly metrics: readonly MetricDefinition[];
  /** What the operator API, the command line and the console show. */
  readonly description: ChannelKindDescription;
  /** Fills in the defaults, names every fault, and splits the secret fields from the others. */
  check(input: ConfigObject): CheckedChannelConfig;
  /** Reads what an upstream posted to a callback address. Feedback comes cleaned. Absent where the kind has no callbacks. */
  readonly readCallback?: ReadCallback<ConfigObject>;
  /** The local address that a channel listens on; absent where the kind does not listen. */
  readonly localPort?: (config: ConfigObject) => string;
  /** Opens a channel with a configuration that was checked when it was stored. Feedback comes cleaned. */
  open(config: ConfigObject, deps: DriverDeps): OpenChannel;
}

export function defineDriver<Schema extends TObject>(definition: DriverDefinition<Schema>): ChannelDriver {
  const { kind, name, config: schema, refine, zh, traits, messageIdFormat, metrics = [], open } = definition;
  const { readCallback, localPort } = definition;
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
