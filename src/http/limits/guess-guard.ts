// Slows down what nobody finds by guessing faster: tokens of operators, and answers of passkeys. After many wrong ones from an address,
// wrong ones are answered 429 for a while, and each further one doubles the while. A right one always passes: people share addresses,
// behind a proxy all of them one, and anyone there could lock them out.

import { networkOf } from '../network-of.js';

export interface GuessGuard {
  /** How long wrong ones from this address are refused unseen; zero when the next one counts. */
  waitMs(address: string): number;
  /** A wrong one came from this address. */
  fail(address: string): void;
}

interface Guesser {
  failures: number;
  /** When the last one was. */
  failedAtMs: number;
  blockedUntilMs: number;
}

/** Scripts with an old token and checks of many calls stay below it. */
export const FREE_FAILURES = 50;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
const FORGOTTEN_AFTER_MS = 60 * 60_000;
/** Addresses are free to invent behind a wide network, memory is not. */
const MAX_ADDRESSES = 10_000;

/** `now` must not go backwards. */
export function createGuessGuard(now: () => number): GuessGuard {
  const guessers = new Map<string, Guesser>();
  return {
    waitMs(address) {
      return Math.max(0, (guessers.get(networkOf(address))?.blockedUntilMs ?? 0) - now());
    },
    fail(address) {
      const network = networkOf(address);
      const nowMs = now();
      const known = guessers.get(network);
      const isRecent = known !== undefined && nowMs - known.failedAtMs < FORGOTTEN_AFTER_MS;
      const failures = (isRecent ? known.failures : 0) + 1;
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - FREE_FAILURES));
      // Set anew at the end of the map, so that the one that has been quiet the longest is forgotten first.
      guessers.delete(network);
      guessers.set(network, {
        failures,
        failedAtMs: nowMs,
        blockedUntilMs: failures < FREE_FAILURES ? 0 : nowMs + pauseMs,
      });
      const [oldest] = guessers.keys();
      if (guessers.size > MAX_ADDRESSES && oldest !== undefined) guessers.delete(oldest);
    },
  };
}
