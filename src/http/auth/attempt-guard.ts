// Slows down guessing of passwords. After some failures of one key, further attempts under it are refused unseen for a while
// that doubles with each failure. Keys are chosen so that a stranger cannot lock a person out:
//
// - a browser that has signed in to this account before has a key for itself: nothing that others do counts against it;
// - everyone else is counted by account and address together, tightly; by address alone, for guessing at many accounts; and by
//   account alone, for guessing from many addresses, with pauses short enough to wait for.
//
// An attempt counts from its beginning, so that a thousand at once are no more than a thousand in a row; a right one gives back what
// it counted. Each kind of key has its own room: what strangers can make many of pushes out none of the others. Emails without a user are counted like others: the answers must not tell them apart.

import { createFailureCounts, type FailureCounts, type Trial } from '../limits/failure-counts.js';
import { networkOf } from '../network-of.js';

export interface AttemptGuard {
  /** An attempt that has to be ended by one of its functions, or how long attempts are refused unseen. */
  begin(attempt: Attempt): Trial | Pause;
}

export interface Pause {
  readonly waitMs: number;
  /** So many failures cost no pause. */
  readonly freeFailures: number;
}

export interface Attempt {
  readonly account: string;
  readonly address: string;
  /** Names a browser that signed in to this account before. */
  readonly device?: string | undefined;
}

const MAX_PAUSE_MS = 15 * 60_000;
const LIMITS = {
  device: { freeFailures: 10, mostMs: MAX_PAUSE_MS },
  pair: { freeFailures: 5, mostMs: MAX_PAUSE_MS },
  address: { freeFailures: 50, mostMs: MAX_PAUSE_MS },
  account: { freeFailures: 100, mostMs: 30_000 },
} as const;

type Kind = keyof typeof LIMITS;

const FIRST_PAUSE_MS = 5_000;
/** Of each kind. */
const MAX_KEYS = 20_000;

/** `now` must not go backwards. */
export function createAttemptGuard(now: () => number): AttemptGuard {
  const createCounts = (kind: Kind) =>
    createFailureCounts({ ...LIMITS[kind], firstMs: FIRST_PAUSE_MS, maxKeys: MAX_KEYS }, now);
  const rooms: Readonly<Record<Kind, FailureCounts>> = {
    device: createCounts('device'),
    pair: createCounts('pair'),
    address: createCounts('address'),
    account: createCounts('account'),
  };
  return {
    begin(attempt) {
      const keys = keysOf(attempt);
      const pauses = keys.map(([kind, key]): Pause => {
        return { waitMs: rooms[kind].waitMs(key), freeFailures: LIMITS[kind].freeFailures };
      });
      const [longest] = pauses.sort((one, other) => other.waitMs - one.waitMs);
      if (longest !== undefined && longest.waitMs > 0) return longest;
      const [own, ...others] = keys.map(([kind, key]) => rooms[kind].begin(key));
      return {
        fail() {
          for (const trial of [own, ...others]) trial?.fail();
        },
        // Clears what was counted against this browser or this pair.
        succeed() {
          own?.succeed();
          for (const trial of others) trial.withdraw();
        },
        withdraw() {
          for (const trial of [own, ...others]) trial?.withdraw();
        },
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
