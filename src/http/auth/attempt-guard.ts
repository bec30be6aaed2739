// Slows down guessing of passwords. After some failures of one key, further attempts under it are refused unseen for a while
// that doubles with each failure. Keys are chosen so that a stranger cannot lock a person out:
//
// - a browser that has signed in to this account before has a key for itself: nothing that others do counts against it;
// - everyone else is counted by account and address together, tightly; by address alone, for guessing at many accounts; and by
//   account alone, for guessing from many addresses, with pauses short enough to wait for.
//
// An attempt counts from its beginning, so that a thousand at once are no more than a thousand in a row; a right one gives back what
// it counted. Counts are kept in memory, by each process for itself, and each kind of key has its own room: what strangers can make
// many of pushes out none of the others. Emails without a user are counted like others: the answers must not tell them apart.

import { networkOf } from '../network-of.js';

export interface AttemptGuard {
  /** How long attempts are refused unseen, or an attempt that has to be ended by one of its functions. */
  begin(attempt: Attempt): Trial | { readonly waitMs: number };
}

export interface Attempt {
  readonly account: string;
  readonly address: string;
  /** Names a browser that signed in to this account before. */
  readonly device?: string | undefined;
}

export interface Trial {
  fail(): void;
  /** Clears what was counted against this browser or this pair. */
  succeed(): void;
  /** Nothing was compared. */
  withdraw(): void;
}

interface Limit {
  readonly freeFailures: number;
  readonly longestPauseMs: number;
}

interface Count {
  failures: number;
  /** Attempts that have begun and are not decided. */
  pending: number;
  failedAtMs: number;
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
/** For attempts that others under way leave no room for. */
const PENDING_WAIT_MS = 1_000;
/** Of each kind. */
const MAX_KEYS = 20_000;

/** `now` must not go backwards. */
export function createAttemptGuard(now: () => number): AttemptGuard {
  const rooms: Readonly<Record<Kind, Map<string, Count>>> = {
    device: new Map(),
    pair: new Map(),
    address: new Map(),
    account: new Map(),
  };

  const find = (kind: Kind, key: string): Count => {
    const count = rooms[kind].get(key);
    if (count === undefined) return { failures: 0, pending: 0, failedAtMs: 0 };
    if (now() - count.failedAtMs >= FORGOTTEN_AFTER_MS) count.failures = 0;
    return count;
  };
  const waitMs = (kind: Kind, key: string): number => {
    const { failures, pending, failedAtMs } = find(kind, key);
    const { freeFailures, longestPauseMs } = LIMITS[kind];
    if (failures + pending < freeFailures) return 0;
    if (failures < freeFailures) return PENDING_WAIT_MS;
    const pauseMs = Math.min(longestPauseMs, FIRST_PAUSE_MS * 2 ** (failures - freeFailures));
    // Behind a pause one attempt at a time.
    return Math.max(failedAtMs + pauseMs - now(), pending > 0 ? PENDING_WAIT_MS : 0);
  };
  const begin = (kind: Kind, key: string): Count => {
    const count = find(kind, key);
    count.pending += 1;
    // Set again at the end of the map, so that the key that has been quiet the longest is forgotten first.
    const room = rooms[kind];
    room.delete(key);
    room.set(key, count);
    const [oldest] = room.keys();
    if (room.size > MAX_KEYS && oldest !== undefined) room.delete(oldest);
    return count;
  };
  const end = (kind: Kind, key: string, count: Count): void => {
    count.pending -= 1;
    const room = rooms[kind];
    if (count.pending === 0 && count.failures === 0 && room.get(key) === count) room.delete(key);
  };

  return {
    begin(attempt) {
      const keys = keysOf(attempt);
      const longest = Math.max(...keys.map(([kind, key]) => waitMs(kind, key)));
      if (longest > 0) return { waitMs: longest };
      const begun = keys.map(([kind, key]) => ({ kind, key, count: begin(kind, key) }));
      const endAll = () => {
        for (const { kind, key, count } of begun) end(kind, key, count);
      };
      return {
        fail() {
          for (const { count } of begun) {
            count.failures += 1;
            count.failedAtMs = now();
          }
          endAll();
        },
        succeed() {
          const [first] = begun;
          if (first !== undefined) first.count.failures = 0;
          endAll();
        },
        withdraw: endAll,
      };
    },
  };
}

function keysOf({ account, address, device }: Attempt): readonly (readonly [Kind, string])[] {
  const name = account.toLowerCase();
  if (device !== undefined) return [['device', `${name} ${device}`]];
  const network = networkOf(address);
  return [
    ['pair', `${name} ${network}`],
    ['address', network],
    ['account', name],
  ];
}
