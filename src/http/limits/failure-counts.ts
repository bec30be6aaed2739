// Failures by key, and the pause that each further one doubles. Counts are kept in memory, by each process for itself.

import { type Backoff, backoffMs } from '../../domain/backoff.js';
import { forgetOldest } from '../../domain/counts.js';

export interface FailureCounts {
  /** How long attempts under this key are refused unseen; zero when the next one counts. */
  waitMs(key: string): number;
  /** An attempt that has to be ended by one of its functions. */
  begin(key: string): Trial;
}

export interface Trial {
  fail(): void;
  /** Clears what was counted. */
  succeed(): void;
  /** Nothing was compared. */
  withdraw(): void;
}

export interface FailureLimit extends Backoff {
  /** The last of these is the first with a pause. */
  readonly freeFailures: number;
  /** Keys are free to invent, memory is not. */
  readonly maxKeys: number;
}

interface Count {
  failures: number;
  /** Attempts that have begun and are not decided. */
  pending: number;
  failedAtMs: number;
}

export const FORGOTTEN_AFTER_SECONDS = 60 * 60;
/** For attempts that others under way leave no room for. */
const PENDING_WAIT_MS = 1_000;

/** `now` must not go backwards. */
export function createFailureCounts(limit: FailureLimit, now: () => number): FailureCounts {
  const { freeFailures, maxKeys } = limit;
  const counts = new Map<string, Count>();

  const find = (key: string): Count => {
    const count = counts.get(key) ?? { failures: 0, pending: 0, failedAtMs: 0 };
    if (now() - count.failedAtMs >= FORGOTTEN_AFTER_SECONDS * 1000) count.failures = 0;
    return count;
  };
  const end = (key: string, count: Count): void => {
    count.pending -= 1;
    if (count.pending === 0 && count.failures === 0 && counts.get(key) === count) counts.delete(key);
  };

  return {
    waitMs(key) {
      const { failures, pending, failedAtMs } = find(key);
      if (failures + pending < freeFailures) return 0;
      if (failures < freeFailures) return PENDING_WAIT_MS;
      const pauseMs = backoffMs(failures - freeFailures + 1, limit);
      // Behind a pause one attempt at a time.
      return Math.max(failedAtMs + pauseMs - now(), pending > 0 ? PENDING_WAIT_MS : 0);
    },
    begin(key) {
      const count = find(key);
      count.pending += 1;
      // Set again at the end of the map, so that the key that has been quiet the longest is forgotten first.
      counts.delete(key);
      counts.set(key, count);
      forgetOldest(counts, maxKeys);
      return {
        fail() {
          count.failures += 1;
          count.failedAtMs = now();
          end(key, count);
        },
        succeed() {
          count.failures = 0;
          end(key, count);
        },
        withdraw: () => end(key, count),
      };
    },
  };
}
