// What processes publish about themselves and their channels, for operators.

/** Counted by the owner of a channel since `since`, also when it reopens the channel; a new owner starts at zero. */
export interface ChannelCounts {
  readonly accepted: number;
  readonly refused: number;
  readonly throttled: number;
  readonly unknown: number;
  readonly unsent: number;
  readonly reports: number;
}

/** What a code was seen with: an answer to a part, or the status of a report. */
export const CODE_EVENTS = ['refused', 'throttled', 'unknown', 'undelivered', 'expired', 'rejected'] as const;
export type CodeEvent = (typeof CODE_EVENTS)[number];

/** Those that leave a record of the part they are about: what is throttled goes again, and only what comes then is recorded. */
export const FAILURE_EVENTS = [
  'refused',
  'unknown',
  'undelivered',
  'expired',
  'rejected',
] as const satisfies CodeEvent[];
export type FailureEvent = (typeof FAILURE_EVENTS)[number];

export interface CodeCount {
  readonly event: CodeEvent;
  readonly code: string;
  readonly count: number;
  readonly last_at: string;
}

export interface ChannelFigures {
  readonly since: string;
  /** When the owner last said so. */
  readonly counted_at: string;
  readonly counts: ChannelCounts;
  /** Over the last seconds. */
  readonly parts_per_second: number;
  readonly reports_per_second: number;
  /** Those seen most, not more than a few. */
  readonly codes: readonly CodeCount[];
}

export interface NodeFigures {
  /** Since the start of the process. */
  readonly requests: number;
  readonly requests_in_flight: number;
  /** Sends that wait for the next commit. */
  readonly sends_waiting: number;
  readonly memory_bytes: number;
  /** 99 of 100 turns of the event loop were late by less. */
  readonly lag_ms: number;
  /** Parts that an upstream answered or reported and that the database had forgotten to be sent. Missing from earlier versions. */
  readonly lost_commits?: number;
  /** The last proof that the money adds up, where this process makes it. */
  readonly books: BooksProof | null;
  /** Names the secret key that this process seals with. Missing from earlier versions. */
  readonly sealing_key?: string;
  /** Missing from processes of an earlier version. */
  readonly set_aside?: readonly QuarantinedItem[];
}

/**
 * What a worker does in rounds, over the customers of a bucket: freezing again after a top-up, starting and ending tasks at
 * their times, unknown numbers and missing receipts at their deadlines, numbers whose channel is gone, the sums.
 */
export const ROUND_KINDS = ['freeze', 'start', 'end', 'verify', 'expire', 'give_up', 'sum'] as const;
export type RoundKind = (typeof ROUND_KINDS)[number];

/** What a process could not write and retries. Ids are texts, as JSON has no such numbers. */
export interface QuarantinedItem {
  /** Answers of an upstream to be recorded, parts of a customer to be sent, or what a round does. */
  readonly kind: 'record' | 'send' | RoundKind;
  readonly customer_id: string;
  readonly task_id: string | null;
  /** Null where it is about none. */
  readonly channel_id: string | null;
  /** The message parts whose answers these are; null where none has gone. */
  readonly parts: number | null;
  readonly reason: string;
  readonly tries: number;
  readonly since: string;
  /** Missing from processes of an earlier version. */
  readonly next_try_at?: string;
}

const MAX_REASON_CHARACTERS = 500;

/** The reason of what is quarantined, at a length that can be shown. */
export function tellReason(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON_CHARACTERS);
}

export interface BooksProof {
  /** Accounts that do not stand where their last entry left them. */
  readonly imbalances: number;
  readonly checked_at: string;
}
