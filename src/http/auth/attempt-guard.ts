// Slows down guessing of passwords. After some failures of one key, further attempts under it are refused unseen for a while
// that doubles with each failure. Keys are chosen so that a stranger cannot lock a person out:
//
// - a browser that has signed in to this account before has a key for itself: nothing that others do counts against it;
// - everyone else is counted by account and address together, tightly; by address alone, for guessing at many accounts; and by
//   account alone, for guessing from many addresses, with pauses short enough to wait for.
//
// Counts are kept in memory, by each process for itself.

import { networkOf } from '../network-of.js';

export interface AttemptGuard {
  /** How long attempts are refused unseen; zero when the next one counts. */
  waitMs(attempt: Attempt): number;
  fail(attempt: Attempt): void;
  /** A right password clears what was counted against this browser or this pair. */
  succeed(attempt: Attempt): void;
}

export interface Attempt {
  readonly account: string;
  readonly address: string;
  /** Names a browser that signed in to this account before. */
  readonly device?: string | undefined;
}

interface Limit {
  readonly freeFailures: number;
  readonly longestPauseMs: number;
}

interface Count {
  failures: number;
  failedAtMs: number;
  blockedUntilMs: number;
}

const LIMITS = {
  device: { freeFailures: 10, longestPauseMs: 15 * 60_000 },
  pair: { freeFailures: 5, longestPauseMs: 15 * 60_000 },
  address: { freeFailures: 50, longestPauseMs: 15 * 60_000 },
  account: { freeFailures: 100, longestPauseMs: 30_000 },
} as const satisfies Record<string, Limit>;

type Kind = keyof typeof LIMITS;

const FIRST_PAUSE_MS = 5_000;
const FORGOTTEN_AFTER_MS = 60 * 60_000;
const MAX_KEYS = 20_000;

/** `now` must not go backwards. */
export function createAttemptGuard(now: () => number): AttemptGuard {
  const counts = new Map<string, Count>();
  const keysOf = ({ account, address, device }: Attempt): readonly (readonly [Kind, string])[] => {
    const name = account.toLowerCase();
    if (device !== undefined) return [['device', `device ${name} ${device}`]];
    const network = networkOf(address);
    return [
      ['pair', `pair ${name} ${network}`],
      ['address', `address ${network}`],
      ['account', `account ${name}`],
    ];
  };
  const countFailure = (kind: Kind, key: string): void => {
    const nowMs = now();
    const known = counts.get(key);
    const isRecent = known !== undefined && nowMs - known.failedAtMs < FORGOTTEN_AFTER_MS;
    const failures = (isRecent ? known.failures : 0) + 1;
    const { freeFailures, longestPauseMs } = LIMITS[kind];
    const pauseMs = Math.min(longestPauseMs, FIRST_PAUSE_MS * 2 ** (failures - freeFailures));
    // Set again at the end of the map, so that the key that has been quiet the longest is forgotten first.
    counts.delete(key);
    counts.set(key, { failures, failedAtMs: nowMs, blockedUntilMs: failures < freeFailures ? 0 : nowMs + pauseMs });
    const [oldest] = counts.keys();
    if (counts.size > MAX_KEYS && oldest !== undefined) counts.delete(oldest);
  };
  return {
    waitMs: (attempt) =>
      Math.max(0, ...keysOf(attempt).map(([, key]) => (counts.get(key)?.blockedUntilMs ?? 0) - now())),
    fail(attempt) {
      for (const [kind, key] of keysOf(attempt)) countFailure(kind, key);
    },
    succeed(attempt) {
      const [first] = keysOf(attempt);
      if (first !== undefined) counts.delete(first[1]);
    },
  };
}
