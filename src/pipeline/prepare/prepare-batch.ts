// Prepares a batch of tasks of one bucket in one transaction: claims them, parses their numbers, plans and prices them, and writes chunks
// and receipts. If a task and the policy of its customer allow it, the same transaction freezes the money and queues the chunks.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import { groupBy } from '../../domain/group-by.js';
import type { Log } from '../../domain/log.js';
import type { Region } from '../../domain/phone/phone.js';
import { type NormalisedPayload, normalisePayload } from '../../domain/plan/normalise-payload.js';
import { decodePayload } from '../../domain/request/payload.js';
import type { QueueKey } from '../../domain/rules/queue-place.js';
import { finishUntil, type Steps } from '../../domain/steps.js';
import type { Task, TaskKey } from '../../domain/task/task.js';
import { areCounted } from '../../sending-rules/rules.js';
import { bucketSql } from '../../store/cluster/distribution.js';
import { lockAccountsOrSkip } from '../../store/money/account.js';
import { isRetryable } from '../../store/retry.js';
import { type PlanningState, readPlanningState } from '../../store/snapshot/planning-state.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { AnySql, Sql } from '../../store/sql.js';
import {
  claimTasksToPrepare,
  type DueTask,
  type QueuedTask,
  quarantinePrepare,
} from '../../store/task/task-prepare.js';
import { type Transacted, transact } from '../../store/transact.js';
import { runYielding } from '../fairness/run-yielding.js';
import { bisectFailures } from '../quarantine/bisect-failures.js';
import type { TaskTrace } from '../task-trace.js';
import type { Wake } from '../wake.js';
import { type NormalisedTask, planTasks } from './plan-tasks.js';
import { readPlanningStateAhead } from './planning-state.js';
import { writePlans } from './write-plans.js';

export interface PrepareDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly refreshSnapshot: () => Promise<void>;
  readonly region: Region;
  readonly wake: Wake;
  readonly log: Log;
  readonly trace?: TaskTrace | undefined;
}

export interface BatchOptions extends PrepareDeps {
  readonly bucket: number;
  /** Numbers that were parsed before, by task key. */
  readonly parsed: ReadonlyMap<string, NormalisedPayload>;
  /** Waits for locked accounts. Otherwise tasks of their customers are left out and passed to `onLocked`. */
  readonly mayWait: boolean;
  readonly onLocked: (tasks: readonly DueTask[]) => void;
  /** Gets a task that was left out because parsing its numbers takes too long, with the rest of the steps. */
  readonly onSlow: (task: DueTask, steps: Steps<NormalisedPayload>) => void;
}

/** How long a transaction parses numbers, in total and at least per customer. Each share blocks the event loop. */
const PARSE_MS = 5;
const MIN_PARSE_MS = 0.5;

/**
 * Returns how many tasks were prepared or quarantined. Those that another process prepares, and those left out as slow or locked, do not
 * count. A task that cannot be prepared is quarantined and does not stop the others.
 */
export async function prepareBatch(options: BatchOptions, due: readonly DueTask[]): Promise<number> {
  let prepared = 0;
  const failed: { readonly task: DueTask; readonly error: unknown }[] = [];
  await bisectFailures(due, {
    ownerOf: (task) => task,
    step: async (tasks) => {
      prepared += await prepareTogether(options, tasks);
    },
    onFailure(tasks, error) {
      if (isRetryable(error)) throw error;
      failed.push(...tasks.map((task) => ({ task, error })));
    },
  });
  for (const { task, error } of failed) await quarantineTask(options, options.bucket, task, error);
  return prepared + failed.length;
}

export async function quarantineTask(
  { sql, log }: PrepareDeps,
  bucket: number,
  task: TaskKey,
  error: unknown,
): Promise<void> {
  log.error({ err: error, task: String(task.taskId) }, 'a task could not be prepared; it is quarantined and retried');
  const reason = error instanceof Error ? error.message : String(error);
  await quarantinePrepare(bucketSql(sql, bucket), bucket, task, reason);
}

async function prepareTogether(options: BatchOptions, due: readonly DueTask[]): Promise<number> {
  const { bucket, wake, trace } = options;
  const sql = bucketSql(options.sql, bucket);
  const stateAhead = await readPlanningStateAhead(options.sql, sql);
  const startMs = trace?.now() ?? 0;
  const written = await transact(sql, (tx) => claimAndPlan(options, tx, due, stateAhead));
  if (written === 'stale') {
    await options.refreshSnapshot();
    return await prepareTogether(options, due);
  }
  trace?.prepared(written.prepared, startMs);
  if (written.queues.length > 0) {
    wake.hintQueues(written.queues);
    wake.notify('dispatch', bucket);
  }
  for (const { task, steps } of written.slow) options.onSlow(task, steps);
  if (written.locked.length > 0) options.onLocked(written.locked);
  return written.prepared.length;
}

interface WrittenBatch {
  /** The queues in which chunks wait. */
  readonly queues: readonly QueueKey[];
  readonly prepared: readonly Task[];
  /** Tasks that were left out because parsing their numbers takes too long. */
  readonly slow: readonly SlowTask[];
  /** Tasks that were left out because the account of their customer is locked. */
  readonly locked: readonly DueTask[];
}

/** `stale`: the snapshot of this process is outdated. */
async function claimAndPlan(
  options: BatchOptions,
  tx: AnySql,
  due: readonly DueTask[],
  stateAhead: PlanningState | undefined,
): Promise<Transacted<WrittenBatch | 'stale'>> {
  const { bucket, mayWait } = options;
  const lock = async (tasks: readonly { readonly task: TaskKey }[]) => {
    const customerIds = [...new Set(tasks.map(({ task }) => task.customerId))];
    return (await lockAccountsOrSkip(tx, bucket, customerIds, mayWait)).locked;
  };
  const [claimed, { version, now, live }] = await Promise.all([
    claimTasksToPrepare(tx, bucket, due),
    stateAhead ?? readPlanningState(tx),
  ]);
  if (claimed.length === 0) return { result: { queues: [], prepared: [], slow: [], locked: [] } };
  // Another process may have accepted a task for a template that is not in this snapshot yet: the task would fail.
  if (version > options.snapshot().version) return { result: 'stale' };
  const { tasks, slow } = await runYielding(parseNumbers(options, claimed));
  // If a rule counts, the accounts are locked before planning: two concurrent tasks must not both count the last message that a cap
  // allows. Otherwise they are locked only for the writes, below.
  const isCounted = tasks.some(({ task }) => areCounted(options.snapshot().customer(task.customerId)));
  const lockedToCount = isCounted ? await lock(tasks) : undefined;
  const plannable = tasks.filter(({ task }) => lockedToCount?.accounts.has(task.customerId) ?? true);
  const isUp = (channelId: bigint) => live.has(channelId);
  // Caps count the messages of a period that ends when the locks are granted.
  const planNow = lockedToCount?.now ?? now;
  const planned = plannable.length > 0 ? await planTasks(options, tx, plannable, isUp, planNow) : [];
  // This transaction holds the locks that were taken to count, so it gets them again without waiting, with the same rows.
  const locks = await lock(planned);
  const isLockedHere = ({ task }: { readonly task: Task }) => locks.accounts.has(task.customerId);
  const leftOut = { slow, locked: tasks.filter((each) => !isLockedHere(each)).map(({ task }) => dueOf(task)) };
  const writable = planned.filter(isLockedHere);
  if (writable.length === 0) return { result: { queues: [], prepared: [], ...leftOut } };
  const written = writePlans(tx, options.snapshot(), locks, writable);
  const { queues, tasks: prepared } = written.result;
  return { ...written, result: { queues, prepared, ...leftOut } };
}

function dueOf(task: Task): DueTask {
  return { ...task, total: task.counts.total };
}

interface SlowTask {
  readonly task: DueTask;
  readonly steps: Steps<NormalisedPayload>;
}

/** Each customer gets the same share of the time; tasks that need more are returned as `slow`. */
function* parseNumbers(
  { parsed, region }: BatchOptions,
  claimed: readonly QueuedTask[],
): Steps<{ readonly tasks: readonly NormalisedTask[]; readonly slow: readonly SlowTask[] }> {
  const tasks: NormalisedTask[] = [];
  const slow: SlowTask[] = [];
  const byCustomer = groupBy(claimed, ({ task }) => task.customerId);
  const shareMs = Math.max(MIN_PARSE_MS, PARSE_MS / byCustomer.size);
  for (const ofCustomer of byCustomer.values()) {
    const endMs = performance.now() + shareMs;
    for (const { task, payload } of ofCustomer) {
      const known = parsed.get(taskKeyOf(task));
      if (known !== undefined) {
        tasks.push({ task, numbers: known });
        continue;
      }
      const steps = normalisePayload(decodePayload(payload), region);
      const numbers = finishUntil(steps, () => performance.now() >= endMs);
      if (numbers !== undefined) tasks.push({ task, numbers });
      else slow.push({ task: dueOf(task), steps });
    }
    yield;
  }
  return { tasks, slow };
}
