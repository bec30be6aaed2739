import type { CallOptions } from './transport.js';

/** What calls accept that are about a time. */
export interface TimeOptions extends CallOptions {
  /** Inclusive. A Date, RFC 3339 with an offset, or epoch milliseconds. */
  readonly startAt?: Date | string | number;
  /** Exclusive. */
  readonly endAt?: Date | string | number;
}

/** What lists accept that have no times to narrow them by. */
export interface OwnListOptions extends CallOptions {
  /** At most 100. Without it a walk takes 100 and a single page 20. */
  readonly pageSize?: number;
}

/** What all other lists accept. */
export interface ListOptions extends OwnListOptions, TimeOptions {}

export type OperatorListOptions = OwnListOptions;
