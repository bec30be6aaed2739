// Slows down guessing of secrets: tokens of operators, and answers of passkeys. After many wrong ones from an address,
// wrong ones are answered 429 for a while, and each further one doubles the while. A right one always passes: people share addresses,
// behind a proxy all of them one, and anyone there could lock them out.

import { networkOf } from '../network-of.js';
import { createFailureCounts } from './failure-counts.js';

export interface GuessGuard {
  /** How long wrong ones from this address are refused unseen; zero when the next one counts. */
  waitMs(address: string): number;
  /** A wrong one came from this address. */
  fail(address: string): void;
}

/** Scripts with an old token and checks of many calls stay below it. */
export const FREE_FAILURES = 50;
const LIMIT = { freeFailures: FREE_FAILURES, firstMs: 1_000, mostMs: 15 * 60_000, maxKeys: 10_000 };

/** `now` must not go backwards. */
export function createGuessGuard(now: () => number): GuessGuard {
  const networks = createFailureCounts(LIMIT, now);
  return {
    // Also negative, once the pause is over.
    waitMs: (address) => Math.max(0, networks.waitMs(networkOf(address))),
    fail: (address) => networks.begin(networkOf(address)).fail(),
  };
}
