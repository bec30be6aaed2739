import type { CallOptions } from './transport.js';

/** What every list of the customer accepts. */
export interface ListOptions extends CallOptions {
  /** At most 100. Without it a walk takes 100 and a single page 20. */
  readonly pageSize?: number;
  /** Inclusive. A Date, RFC 3339 with an offset, or epoch milliseconds. */
  readonly startAt?: Date | string | number;
  /** Exclusive. */
  readonly endAt?: Date | string | number;
}

/** For lists that have no times to narrow them by. */
export type OwnListOptions = Omit<ListOptions, 'startAt' | 'endAt'>;
