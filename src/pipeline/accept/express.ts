// The express lane: the process that receives a small, fully automatic task accepts, plans, freezes and queues it in one transaction.
// If that process owns the channel and the window has room, the same transaction commits the intents, and the parts are sent right
// after it.
//
// The transaction takes its place among the recorder's batches of the bucket, so it never waits for a lock of this process. It waits
// for no lock of other processes either: a task whose account is locked takes the normal path, as all tasks do while the recorder is
// busy.

import type { Chunk, StoredChunk } from '../../domain/chunk/chunk.js';
import type { CustomerId } from '../../domain/id.js';
import type { Region } from '../../domain/phone/phone.js';
import { type NormalisedPayload, normalisePayload } from '../../domain/plan/normalise-payload.js';
import type { Payload } from '../../domain/request/payload.js';
import type { QueueKey } from '../../domain/rules/queue-place.js';
import { finishSteps } from '../../domain/steps.js';
import { isAutomatic, type Policy } from '../../domain/task/automation.js';
import { type NewTask, type Task, uniqueRequestKeyOf } from '../../domain/task/task.js';
import { bucketSql } from '../../store/cluster/distribution.js';
import { lockFreeAccounts } from '../../store/money/account.js';
import { isOutcomeUnknown } from '../../store/retry.js';
import { type PlanningState, readPlanningState } from '../../store/snapshot/planning-state.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { AnySql, Sql } from '../../store/sql.js';
import { insertPlannedTasks, readKnownRequests } from '../../store/task/task-accept.js';
import { type Transacted, transact } from '../../store/transact.js';
import type { ChunkIntents } from '../channel/parts/part-lifecycle.js';
import type { ExpressSend } from '../channel/sending/express-send.js';
import { planTasks } from '../prepare/plan-tasks.js';
import { readPlanningStateAhead } from '../prepare/planning-state.js';
import { writePlans } from '../prepare/write-plans.js';
import type { Recorder } from '../settle/recorder.js';
import type { TaskTrace } from '../task-trace.js';
import type { Wake } from '../wake.js';

export interface ExpressDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly region: Region;
  readonly recorder: Pick<Recorder, 'runExclusive' | 'waiting'>;
  /** Undefined for a channel that this process does not own. */
  readonly channelOf: (channelId: bigint) => ExpressSend | undefined;
  readonly wake: Wake;
  /** In milliseconds. */
  readonly monotonicNow: () => number;
  readonly trace?: TaskTrace | undefined;
}

/** A request in the express lane. Exactly one of the callbacks is called. */
export interface ExpressEntry {
  readonly task: NewTask;
  readonly payload: Payload;
  /** The task is committed in this state. */
  accepted(task: Task): void;
  /** Nothing is stored: the task takes the normal path. */
  fallBack(): void;
  failed(error: unknown): void;
}

export interface ExpressLane {
  isEligible(task: NewTask, policy: Policy): boolean;
  add(entry: ExpressEntry): void;
}

const MAX_NUMBERS = 10;
const MAX_TASKS = 200;
/** With more delivery events waiting in the recorder, requests would wait too long for their answers. */
const MAX_WAITING_EVENTS = 500;
/** Requests that waited this long take the normal path: the batch before them may be retrying a lost database connection. */
const MAX_WAIT_MS = 250;
/** How long a customer whose account was locked, or whose transaction failed, takes the normal path. */
const SUSPEND_MS = 20;
const MAX_SUSPENDED = 10_000;

export function createExpressLane(deps: ExpressDeps): ExpressLane {
  const { recorder, wake, monotonicNow, trace } = deps;
  /** By bucket: entries that wait for their transaction in the recorder. */
  const pending = new Map<number, NormalisedEntry[]>();
  /** Buckets whose recorder did not reach the last batch in time. */
  const stalled = new Set<number>();
  const suspendedUntilMs = new Map<CustomerId, number>();

  const suspend = (customerIds: Iterable<CustomerId>): void => {
    if (suspendedUntilMs.size > MAX_SUSPENDED) suspendedUntilMs.clear();
    for (const customerId of customerIds) suspendedUntilMs.set(customerId, monotonicNow() + SUSPEND_MS);
  };

  const scheduleBatch = (bucket: number, queue: NormalisedEntry[]): void => {
    pending.set(bucket, queue);
    const timer = setTimeout(() => {
      // Nothing is eligible for a stalled bucket, so no entry joins the queue after this.
      stalled.add(bucket);
      for (const { entry } of queue.splice(0)) entry.fallBack();
    }, MAX_WAIT_MS);
    recorder.runExclusive(bucket, () => {
      clearTimeout(timer);
      return runBatch(bucket, queue);
    });
  };

  const runBatch = async (bucket: number, queue: NormalisedEntry[]): Promise<void> => {
    stalled.delete(bucket);
    const batch = queue.splice(0, MAX_TASKS);
    if (queue.length === 0) pending.delete(bucket);
    else scheduleBatch(bucket, queue);
    if (batch.length === 0) return;
    const intended: IntendedChunk[] = [];
    const startMs = trace?.now() ?? 0;
    try {
      const bucketPool = bucketSql(deps.sql, bucket);
      const stateAhead = await readPlanningStateAhead(deps.sql, bucketPool);
      const { accepted, queues, locked } = await transact(bucketPool, (tx) =>
        acceptAndPlan(deps, tx, bucket, batch, intended, stateAhead),
      );
      for (const { intents } of intended) intents.committed();
      trace?.prepared([...accepted.values()], startMs);
      trace?.submitted(
        intended.map(({ chunk }) => chunk),
        startMs,
      );
      suspend(locked);
      if (queues.length > 0) {
        wake.hintQueues(queues);
        wake.notify('dispatch', bucket);
      }
      for (const { entry } of batch) {
        const task = accepted.get(entry);
        if (task === undefined) entry.fallBack();
        else entry.accepted(task);
      }
    } catch (error) {
      const mayBeCommitted = isOutcomeUnknown(error);
      for (const { intents } of intended) intents.dropped(mayBeCommitted ? error : undefined);
      suspend(batch.map(({ entry }) => entry.task.customerId));
      for (const { entry } of batch) {
        if (mayBeCommitted) entry.failed(error);
        else entry.fallBack();
      }
    }
  };

  return {
    isEligible(task, policy) {
      const isFullyAutomatic =
        task.queuedFor === 'prepare' && isAutomatic('freeze', task, policy) && isAutomatic('submit', task, policy);
      const isSimple = task.counts.total <= MAX_NUMBERS && task.sendAt === null && task.batchId === null;
      return (
        isFullyAutomatic &&
        isSimple &&
        !stalled.has(task.bucket) &&
        monotonicNow() >= (suspendedUntilMs.get(task.customerId) ?? 0) &&
        recorder.waiting(task.bucket) < MAX_WAITING_EVENTS
      );
    },
    add(entry) {
      const { bucket } = entry.task;
      const queue = pending.get(bucket);
      // Before the transaction: numbers in unusual notation take long to parse.
      const normalised = { entry, numbers: finishSteps(normalisePayload(entry.payload, deps.region)) };
      if (queue !== undefined) queue.push(normalised);
      else scheduleBatch(bucket, [normalised]);
    },
  };
}

interface NormalisedEntry {
  readonly entry: ExpressEntry;
  readonly numbers: NormalisedPayload;
}

/** A chunk whose intents are committed with it, and the slots that are reserved for its parts. */
interface IntendedChunk {
  readonly chunk: Chunk;
  readonly intents: ChunkIntents;
}

interface BatchResult {
  readonly accepted: ReadonlyMap<ExpressEntry, Task>;
  /** The queues in which chunks wait for dispatch. */
  readonly queues: readonly QueueKey[];
  /** Customers whose accounts are locked by other transactions. */
  readonly locked: readonly CustomerId[];
}

/** Adds each chunk to `intended` as soon as its slots are reserved: if the transaction fails, the caller drops the intents. */
async function acceptAndPlan(
  deps: ExpressDeps,
  tx: AnySql,
  bucket: number,
  batch: readonly NormalisedEntry[],
  intended: IntendedChunk[],
  stateAhead: PlanningState | undefined,
): Promise<Transacted<BatchResult>> {
  const tasks = batch.map(({ entry }) => entry.task);
  const customerIds = [...new Set(tasks.map(({ customerId }) => customerId))];
  const channels = findChannels(deps, tasks);
  const leases = [...channels.values()].map(({ lease }) => lease);
  const [locks, { version, live }, known] = await Promise.all([
    lockFreeAccounts(tx, bucket, customerIds, leases),
    stateAhead ?? readPlanningState(tx),
    readKnownRequests(tx, bucket, tasks),
  ]);
  const locked = customerIds.filter((customerId) => !locks.accounts.has(customerId));
  const nothing = { accepted: new Map(), queues: [], locked };
  // The snapshot of this process is outdated: all requests fall back.
  if (version > deps.snapshot().version) return { result: nothing };
  // Of equal requests in one batch, the first is accepted. The others fall back, and the normal path answers them as repeats.
  const keys = new Set<string>();
  const admitted = batch.filter(({ entry }) => {
    const key = uniqueRequestKeyOf(entry.task);
    const isNew = !known.has(key) && !keys.has(key);
    const isAdmitted = isNew && locks.accounts.has(entry.task.customerId);
    if (isAdmitted) keys.add(key);
    return isAdmitted;
  });
  if (admitted.length === 0) return { result: nothing };
  const normalised = admitted.map(({ entry: { task }, numbers }) => ({ task, numbers }));
  const isUp = (channelId: bigint) => live.has(channelId);
  const planned = await planTasks({ ...deps, bucket }, tx, normalised, isUp, locks.now);
  const intend = (stored: StoredChunk): boolean => {
    const intents = channels.get(stored.chunk.channelId)?.reserve(stored);
    if (intents !== undefined) intended.push({ chunk: stored.chunk, intents });
    return intents !== undefined;
  };
  const writes = { writeTasks: insertPlannedTasks, intend };
  const written = writePlans(tx, deps.snapshot(), locks, planned, writes);
  const accepted = new Map(admitted.map(({ entry }, at) => [entry, written.result.tasks[at] as Task]));
  return { ...written, result: { accepted, queues: written.result.queues, locked } };
}

/** The open channels of this process that these tasks may use. Their leases are locked by the transaction. */
function findChannels({ snapshot, channelOf }: ExpressDeps, tasks: readonly NewTask[]): Map<bigint, ExpressSend> {
  const found = new Map<bigint, ExpressSend>();
  for (const { customerId, targetFirms } of tasks) {
    for (const { channelId, firms } of snapshot().grantedChannels(customerId)) {
      const isTargeted = targetFirms === null || firms.some((firm) => targetFirms.includes(firm));
      if (found.has(channelId) || !isTargeted) continue;
      const channel = channelOf(channelId);
      if (channel?.isOpen() === true) found.set(channelId, channel);
    }
  }
  return found;
}
