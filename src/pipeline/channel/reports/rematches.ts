// Looks up the unmatched reports of an open channel again. Answers to their parts may be recorded by another process: a previous owner that
// stood still records what it received when it continues, without the lease.

import type { Log } from '../../../domain/log.js';
import type { ReportMatcher } from '../parts/report-matcher.js';

export interface RematchOptions {
  readonly matcher: Pick<ReportMatcher, 'rematch' | 'rematchDue'>;
  readonly log: Log;
  readonly now: () => number;
}

export interface Rematches {
  /** Looks up all reports. */
  all(): void;
  /** Looks up the reports that are due, once a minute. */
  due(): void;
}

/** A report is due at this age, and whenever its age has doubled: thousands that match no part for days cost few lookups. */
const FIRST_AGE_MS = 60_000;

export function createRematches({ matcher, log, now }: RematchOptions): Rematches {
  /** The reports that were due up to this time are looked up. */
  let doneUntil = now();
  let nextAt = doneUntil + FIRST_AGE_MS;
  let isRunning = false;

  const warn = (err: unknown) => log.warn({ err }, 'the parts of stored reports could not be looked up again');

  const lookUpDue = async (until: number): Promise<void> => {
    await matcher.rematchDue(({ receivedAt }) => timesDue(until - receivedAt) > timesDue(doneUntil - receivedAt));
    doneUntil = until;
  };

  return {
    all: () => void matcher.rematch().catch(warn),
    due() {
      const until = now();
      if (isRunning || until < nextAt) return;
      isRunning = true;
      nextAt = until + FIRST_AGE_MS;
      void lookUpDue(until)
        .catch(warn)
        .finally(() => {
          isRunning = false;
        });
    },
  };
}

/** How often a report of this age has been due. */
function timesDue(ageMs: number): number {
  return ageMs < FIRST_AGE_MS ? 0 : 1 + Math.floor(Math.log2(ageMs / FIRST_AGE_MS));
}
