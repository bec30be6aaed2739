// Retries stored reports whose part is known and that could not be recorded, because the answer to the part is quarantined or the
// database rejected the report. They are retried with backoff until they are recorded. Those that do not fit in memory stay in
// `unmatched_report` and are read when the channel is opened again.

import { backoffMs } from '../../../domain/backoff.js';
import type { MatchedReport } from '../parts/part-lifecycle.js';
import type { PartMemory } from '../parts/part-memory.js';

export interface ReportRetry extends MatchedReport {
  readonly reportId: bigint;
  /** How often it has failed. */
  readonly tries: number;
}

export interface ReportRetries {
  add(retry: ReportRetry): void;
  stop(): void;
}

export interface ReportRetryOptions {
  readonly memory: Pick<PartMemory, 'reserve'>;
  readonly now: () => number;
  /** Tries again to record these. Those that fail are added again. */
  readonly retry: (due: readonly ReportRetry[]) => void;
}

const BACKOFF = { firstMs: 500, mostMs: 15_000 };
/** The memory of a report that waits for its retry. */
const RETRY_BYTES = 700;

export function createReportRetries({ memory, now, retry }: ReportRetryOptions): ReportRetries {
  /** When each is due, and how to give its memory back. */
  const entries = new Map<ReportRetry, { readonly dueAt: number; release: () => void }>();
  let timer: NodeJS.Timeout | undefined;
  let timerDueAt = Number.POSITIVE_INFINITY;
  let isStopped = false;

  const scheduleBy = (dueAt: number): void => {
    if (dueAt >= timerDueAt) return;
    clearTimeout(timer);
    timerDueAt = dueAt;
    timer = setTimeout(run, Math.max(0, dueAt - now()));
  };

  const run = (): void => {
    timerDueAt = Number.POSITIVE_INFINITY;
    const due = [...entries].filter(([, { dueAt }]) => dueAt <= now());
    for (const [each, { release }] of due) {
      entries.delete(each);
      release();
    }
    for (const { dueAt } of entries.values()) scheduleBy(dueAt);
    if (due.length > 0) retry(due.map(([each]) => each));
  };

  return {
    add(added) {
      if (isStopped) return;
      const entry = { dueAt: now() + backoffMs(added.tries, BACKOFF), release: () => {} };
      entries.set(added, entry);
      entry.release = memory.reserve(RETRY_BYTES, () => entries.delete(added));
      scheduleBy(entry.dueAt);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      for (const { release } of entries.values()) release();
      entries.clear();
    },
  };
}
