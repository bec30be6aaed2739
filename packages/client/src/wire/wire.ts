// Types that say more than the schemas of the service. All others are generated: `wire.generated.ts` and
// `operator-wire.generated.ts`. They are spelled as they travel: the same names as in the API reference, amounts as
// decimal strings, times as RFC 3339 text.

import type { Channel } from './operator-wire.generated.js';
import type { Batch, Recipient, SendBody, Statistic, VariableValues } from './wire.generated.js';

type SendFields = Omit<SendBody, 'phones' | 'recipients' | 'variable_values'>;

/** The same text for every number. */
export interface SendToPhones extends SendFields {
  readonly phones: readonly string[];
  readonly variable_values?: VariableValues;
  readonly recipients?: never;
}

/** Different variables for each number. */
export interface SendToRecipients extends SendFields {
  readonly recipients: readonly Recipient[];
  readonly phones?: never;
  readonly variable_values?: never;
}

export type SendRequest = SendToPhones | SendToRecipients;

export type VariableValue = string | number;

export type TaskMove = keyof Batch['moves'];

/** How many numbers had which outcome. */
export type Outcomes = Omit<Statistic, 'key'>;

/** One of `channelKinds()`, such as `smpp`. */
export type ChannelKind = Channel['kind'];

export interface Page<Item> {
  items: Item[];
  page: number;
  page_size: number;
  total: number;
  /** Totals are exact up to 10,000. */
  total_is_exact: boolean;
  /** Null on the last page. */
  next_cursor: string | null;
}
