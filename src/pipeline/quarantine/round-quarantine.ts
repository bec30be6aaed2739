// What the rounds of a worker could not do because something is wrong with a customer or a task. The others go on without it;
// it is tried again with a growing pause, and the operator sees it. Kept in memory: whoever takes over finds out by itself.

import type { CustomerId, TaskId } from '../../domain/id.js';
import type { Log } from '../../domain/log.js';
import { type QuarantinedEvents, type RoundKind, tellReason } from '../../domain/platform.js';
import type { TaskKey } from '../../domain/task/task.js';
import { isRetryable } from '../../store/retry.js';
import { bisectFailures, type Owner } from './bisect-failures.js';

export interface RoundQuarantine {
  /** Takes a step of a round for all together, and sets aside those that it cannot be taken for. */
  run<Item extends Owner>(
    kind: RoundKind,
    bucket: number,
    items: readonly Item[],
    step: (items: readonly Item[]) => Promise<void>,
  ): Promise<void>;
  /** Tasks that wait for their next try: a round passes them over. */
  waitingTasks(kind: RoundKind, bucket: number): readonly TaskKey[];
  /** The same of customers, in rounds that know no tasks. */
  waitingCustomers(kind: RoundKind, bucket: number): ReadonlySet<CustomerId>;
  /** As much as is worth telling. */
  list(): readonly QuarantinedEvents[];
}

interface QuarantinedRound {
  readonly kind: RoundKind;
  readonly bucket: number;
  readonly customerId: CustomerId;
  readonly taskId: TaskId | undefined;
  readonly reason: string;
  readonly tries: number;
  readonly sinceMs: number;
  readonly nextTryMs: number;
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 5 * 60_000;
/** Nothing was to be done for it any more when its time came: it was ended, say. Longer than from one round to the next. */
const FORGET_MS = 10_000;
/** With more of them something is wrong with the platform, and the rounds fail as a whole. */
const MAX_CULPRITS = 10_000;
const MAX_TOLD = 100;

export function createRoundQuarantine({
  now,
  log,
}: {
  readonly now: () => number;
  readonly log: Log;
}): RoundQuarantine {
  const known = new Map<string, QuarantinedRound>();

  const forgetOld = (): void => {
    for (const [key, { nextTryMs }] of known) if (nextTryMs + FORGET_MS < now()) known.delete(key);
  };

  const waiting = (kind: RoundKind, bucket: number): QuarantinedRound[] => {
    forgetOld();
    return [...known.values()].filter(
      (cause) => cause.kind === kind && cause.bucket === bucket && cause.nextTryMs > now(),
    );
  };

  const setAside = (kind: RoundKind, bucket: number, { customerId, taskId }: Owner, error: unknown): void => {
    const key = keyOf(kind, bucket, { customerId, taskId });
    const before = known.get(key);
    if (before === undefined && known.size >= MAX_CULPRITS) throw error;
    const tries = (before?.tries ?? 0) + 1;
    const nextTryMs = now() + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
    const sinceMs = before?.sinceMs ?? now();
    known.set(key, { kind, bucket, customerId, taskId, reason: tellReason(error), tries, sinceMs, nextTryMs });
    const whose = { customer: String(customerId), ...(taskId !== undefined && { task: String(taskId) }) };
    log.error({ err: error, kind, tries, ...whose }, 'a step of a round could not be taken, and is set aside');
  };

  return {
    run: (kind, bucket, items, step) =>
      bisectFailures(items, {
        ownerOf: (item) => item,
        step: async (group) => {
          await step(group);
          if (known.size > 0) for (const item of group) known.delete(keyOf(kind, bucket, item));
        },
        onFailure([first], error) {
          if (isRetryable(error)) throw error;
          if (first !== undefined) setAside(kind, bucket, first, error);
        },
      }),
    waitingTasks: (kind, bucket) =>
      waiting(kind, bucket).flatMap(({ customerId, taskId }) => (taskId === undefined ? [] : [{ customerId, taskId }])),
    waitingCustomers: (kind, bucket) =>
      new Set(waiting(kind, bucket).flatMap(({ customerId, taskId }) => (taskId === undefined ? [customerId] : []))),
    list() {
      forgetOld();
      return [...known.values()].slice(0, MAX_TOLD).map(tell);
    },
  };
}

function keyOf(kind: RoundKind, bucket: number, { customerId, taskId }: Owner): string {
  return `${kind}/${bucket}/${customerId}/${taskId ?? ''}`;
}

function tell({ kind, customerId, taskId, reason, tries, sinceMs, nextTryMs }: QuarantinedRound): QuarantinedEvents {
  return {
    kind,
    customer_id: String(customerId),
    task_id: taskId === undefined ? null : String(taskId),
    channel_id: null,
    parts: null,
    reason,
    tries,
    since: new Date(sinceMs).toISOString(),
    next_try_at: new Date(nextTryMs).toISOString(),
  };
}
