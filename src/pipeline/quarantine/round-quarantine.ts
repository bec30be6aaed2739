// Items that failed in a round of a worker: the rounds skip them until their next retry.

import type { CustomerId } from '../../domain/id.js';
import type { Log } from '../../domain/log.js';
import type { RoundKind } from '../../domain/platform.js';
import type { TaskKey } from '../../domain/task/task.js';
import { isRetryable } from '../../store/retry.js';
import { bisectFailures, type Owner } from './bisect-failures.js';
import { backoffMs, type Quarantine, type QuarantineEntry } from './quarantine.js';

export interface RoundQuarantine {
  /** Runs a step of a round for all items together, and quarantines those for which it fails. */
  run<Item extends Owner>(
    kind: RoundKind,
    bucket: number,
    items: readonly Item[],
    step: (items: readonly Item[]) => Promise<void>,
  ): Promise<void>;
  /** Tasks that wait for their next retry. */
  waitingTasks(kind: RoundKind, bucket: number): readonly TaskKey[];
  /** The same for rounds over customers. */
  waitingCustomers(kind: RoundKind, bucket: number): ReadonlySet<CustomerId>;
}

export interface RoundQuarantineOptions {
  readonly quarantine: Quarantine;
  readonly now: () => number;
  readonly log: Log;
}

interface RoundEntry extends QuarantineEntry {
  readonly kind: RoundKind;
  readonly bucket: number;
}

const MAX_BACKOFF_MS = 5 * 60_000;
/** Entries that no round retries, because the task has ended, are removed after this. Longer than the time between rounds. */
const FORGET_MS = 10_000;
/** More failures mean that the platform is broken: the round fails as a whole. */
const MAX_ENTRIES = 10_000;

export function createRoundQuarantine({ quarantine, now, log }: RoundQuarantineOptions): RoundQuarantine {
  const entries = new Map<string, RoundEntry>();

  const forgetOld = (): void => {
    for (const [key, { nextTryMs }] of entries) if (nextTryMs + FORGET_MS < now()) entries.delete(key);
  };

  const waiting = (kind: RoundKind, bucket: number): RoundEntry[] => {
    forgetOld();
    return [...entries.values()].filter(
      (entry) => entry.kind === kind && entry.bucket === bucket && entry.nextTryMs > now(),
    );
  };

  const add = (kind: RoundKind, bucket: number, { customerId, taskId }: Owner, error: unknown): void => {
    const key = keyOf(kind, bucket, { customerId, taskId });
    const before = entries.get(key);
    if (before === undefined && entries.size >= MAX_ENTRIES) throw error;
    const tries = (before?.tries ?? 0) + 1;
    const nextTryMs = now() + backoffMs(tries, MAX_BACKOFF_MS);
    const sinceMs = before?.sinceMs ?? now();
    entries.set(key, { kind, bucket, customerId, taskId, error, tries, sinceMs, nextTryMs });
    const owner = { customer: String(customerId), ...(taskId !== undefined && { task: String(taskId) }) };
    log.error({ err: error, kind, tries, ...owner }, 'a step of a round failed; it is quarantined and retried');
  };

  quarantine.addSource(() => {
    forgetOld();
    return entries.values();
  });

  return {
    run: (kind, bucket, items, step) =>
      bisectFailures(items, {
        ownerOf: (item) => item,
        step: async (group) => {
          await step(group);
          if (entries.size > 0) for (const item of group) entries.delete(keyOf(kind, bucket, item));
        },
        onFailure([first], error) {
          if (isRetryable(error)) throw error;
          if (first !== undefined) add(kind, bucket, first, error);
        },
      }),
    waitingTasks: (kind, bucket) =>
      waiting(kind, bucket).flatMap(({ customerId, taskId }) => (taskId === undefined ? [] : [{ customerId, taskId }])),
    waitingCustomers: (kind, bucket) =>
      new Set(waiting(kind, bucket).flatMap(({ customerId, taskId }) => (taskId === undefined ? [customerId] : []))),
  };
}

function keyOf(kind: RoundKind, bucket: number, { customerId, taskId }: Owner): string {
  return `${kind}/${bucket}/${customerId}/${taskId ?? ''}`;
}
