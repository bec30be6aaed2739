// The express lane: a small task that goes all the way without its customer is accepted, planned, frozen and queued in one
// transaction by the process that got the request. Where that process owns the channel and there is room, the intents to send are in
// the same transaction, and the parts go out behind its commit. Nothing is read back, and no other loop is waited for.
//
// The transaction stands in the recorder's line of its bucket, so that it waits for no lock of this process, and it waits for no lock
// of others: a customer whose account is taken goes the ordinary way, and so does everything while the line is long.

import type { StoredChunk } from '../domain/chunk/chunk.js';
import type { CustomerId } from '../domain/id.js';
import type { Region } from '../domain/plan/phone.js';
import { type NormalisedPayload, normalisePayload } from '../domain/plan/plan.js';
import type { Payload } from '../domain/request/payload.js';
import type { QueueKey } from '../domain/rules/queue-place.js';
import { finishSteps } from '../domain/steps.js';
import { isAutomatic, type Policy } from '../domain/task/automation.js';
import type { NewTask, Task } from '../domain/task/task.js';
import { readLiveChannels } from '../store/channel/channel-lease.js';
import type { AnySql, Sql } from '../store/connect.js';
import { lockFreeAccounts } from '../store/money/account.js';
import { isOutcomeUnknown } from '../store/retry.js';
import { readConfigVersion } from '../store/snapshot/rows.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { insertPlannedTasks, readKnownRequests } from '../store/task/task-accept.js';
import { type Transacted, transact } from '../store/transact.js';
import type { ExpressSend, Reservation } from './channel/sending/express-send.js';
import { planTasks } from './prepare/prepare.js';
import { writePlans } from './prepare/write-plans.js';
import type { Recorder } from './settle/recorder.js';
import type { Wake } from './wake.js';

export interface ExpressDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly region: Region;
  readonly recorder: Pick<Recorder, 'runInLine' | 'waiting'>;
  /** How this process sends on a channel that it owns. */
  readonly channelOf: (channelId: bigint) => ExpressSend | undefined;
  readonly wake: Wake;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
}

/** A request that takes the express lane. One of the three is called. */
export interface ExpressEntry {
  readonly task: NewTask;
  readonly payload: Payload;
  /** It is committed and stands like this. */
  accepted(task: Task): void;
  /** Nothing of it is stored: it goes the ordinary way. */
  giveBack(): void;
  failed(error: unknown): void;
}

export interface ExpressLane {
  takes(task: NewTask, policy: Policy): boolean;
  add(entry: ExpressEntry): void;
}

const MAX_NUMBERS = 10;
const MAX_TASKS = 200;
/** With more delivery events before them, requests would wait for their answers. */
const MAX_LINE = 500;
/** Requests that have waited in line for so long go the ordinary way: the batch before them may wait for the database to come back. */
const PATIENCE_MS = 250;
/** A customer whose account was found locked, or whose transaction failed, goes the ordinary way for so long. */
const REST_MS = 20;
const MAX_RESTING = 10_000;

export function createExpressLane(deps: ExpressDeps): ExpressLane {
  const { recorder, wake, monotonicNow } = deps;
  const queues = new Map<number, ReadEntry[]>();
  /** Buckets whose line does not move. */
  const blocked = new Set<number>();
  const restsUntilMs = new Map<CustomerId, number>();

  const rest = (customerIds: Iterable<CustomerId>): void => {
    if (restsUntilMs.size > MAX_RESTING) restsUntilMs.clear();
    for (const customerId of customerIds) restsUntilMs.set(customerId, monotonicNow() + REST_MS);
  };

  const stand = (bucket: number, queue: ReadEntry[]): void => {
    queues.set(bucket, queue);
    const timer = setTimeout(() => {
      blocked.add(bucket);
      for (const { entry } of queue.splice(0)) entry.giveBack();
    }, PATIENCE_MS);
    recorder.runInLine(bucket, () => {
      clearTimeout(timer);
      return run(bucket, queue);
    });
  };

  const run = async (bucket: number, queue: ReadEntry[]): Promise<void> => {
    blocked.delete(bucket);
    const batch = queue.splice(0, MAX_TASKS);
    if (queue.length === 0) queues.delete(bucket);
    else stand(bucket, queue);
    if (batch.length === 0) return;
    const reservations: Reservation[] = [];
    try {
      const { accepted, queues, locked } = await transact(deps.sql, (tx) =>
        acceptAndPlan(deps, tx, bucket, batch, reservations),
      );
      for (const reservation of reservations) reservation.send();
      rest(locked);
      if (queues.length > 0) {
        wake.hintQueues(queues);
        wake.notify('dispatch', bucket);
      }
      for (const { entry } of batch) {
        const task = accepted.get(entry);
        if (task === undefined) entry.giveBack();
        else entry.accepted(task);
      }
    } catch (error) {
      for (const reservation of reservations) reservation.cancel(isOutcomeUnknown(error) ? error : undefined);
      rest(batch.map(({ entry }) => entry.task.customerId));
      for (const { entry } of batch) {
        if (isOutcomeUnknown(error)) entry.failed(error);
        else entry.giveBack();
      }
    }
  };

  return {
    takes(task, policy) {
      const goesAllTheWay =
        task.queuedFor === 'prepare' && isAutomatic('freeze', task, policy) && isAutomatic('submit', task, policy);
      const isSimple = task.counts.total <= MAX_NUMBERS && task.sendAt === null && task.batchId === null;
      return (
        goesAllTheWay &&
        isSimple &&
        !blocked.has(task.bucket) &&
        monotonicNow() >= (restsUntilMs.get(task.customerId) ?? 0) &&
        recorder.waiting(task.bucket) < MAX_LINE
      );
    },
    add(entry) {
      const { bucket } = entry.task;
      const queue = queues.get(bucket);
      // Before the transaction, and in the turn of its request: odd spellings take the library long.
      const read = { entry, numbers: finishSteps(normalisePayload(entry.payload, deps.region)) };
      if (queue !== undefined) queue.push(read);
      else stand(bucket, [read]);
    },
  };
}

interface ReadEntry {
  readonly entry: ExpressEntry;
  readonly numbers: NormalisedPayload;
}

interface Accepted {
  readonly accepted: ReadonlyMap<ExpressEntry, Task>;
  /** In which chunks wait for dispatch. */
  readonly queues: readonly QueueKey[];
  /** Those whose accounts other transactions have locked. */
  readonly locked: readonly CustomerId[];
}

async function acceptAndPlan(
  deps: ExpressDeps,
  tx: AnySql,
  bucket: number,
  batch: readonly ReadEntry[],
  reservations: Reservation[],
): Promise<Transacted<Accepted>> {
  const tasks = batch.map(({ entry }) => entry.task);
  const customerIds = [...new Set(tasks.map(({ customerId }) => customerId))];
  const channels = findChannels(deps, tasks);
  const leases = [...channels.values()].map(({ lease }) => lease);
  const [free, version, live, known] = await Promise.all([
    lockFreeAccounts(tx, bucket, customerIds, leases),
    readConfigVersion(tx),
    readLiveChannels(tx),
    readKnownRequests(tx, bucket, tasks),
  ]);
  const locked = customerIds.filter((customerId) => !free.accounts.has(customerId));
  const nothing = { accepted: new Map(), queues: [], locked };
  // This process is behind with its configuration, and would plan by an old one.
  if (version > deps.snapshot().version) return { result: nothing };
  const keys = new Set<string>();
  const going = batch.filter(({ entry }) => {
    const { customerId, requestKey } = entry.task;
    const key = `${customerId} ${requestKey}`;
    const isNew = free.accounts.has(customerId) && !known.has(key) && !keys.has(key);
    if (isNew) keys.add(key);
    return isNew;
  });
  if (going.length === 0) return { result: nothing };
  const read = going.map(({ entry: { task }, numbers }) => ({ task, numbers }));
  const isUp = (channelId: bigint) => live.has(channelId);
  const planned = await planTasks({ ...deps, bucket }, tx, read, isUp, free.now);
  const intend = (stored: StoredChunk): boolean => {
    const reservation = channels.get(stored.chunk.channelId)?.holdPlaces(stored);
    if (reservation !== undefined) reservations.push(reservation);
    return reservation !== undefined;
  };
  const writes = { writeTasks: insertPlannedTasks, intend };
  const { result, ...end } = writePlans(tx, deps.snapshot(), free, planned, writes);
  const accepted = new Map(going.map(({ entry }, at) => [entry, result.tasks[at] as Task]));
  return { result: { accepted, queues: result.queues, locked }, ...end };
}

/** Channels of this process that may carry these tasks at once: their fences are locked. */
function findChannels({ snapshot, channelOf }: ExpressDeps, tasks: readonly NewTask[]): Map<bigint, ExpressSend> {
  const found = new Map<bigint, ExpressSend>();
  for (const { customerId, targetFirms } of tasks) {
    for (const { channelId, firms } of snapshot().grantedChannels(customerId)) {
      if (found.has(channelId) || (targetFirms !== null && !firms.some((firm) => targetFirms.includes(firm)))) continue;
      const channel = channelOf(channelId);
      if (channel?.isOpen() === true) found.set(channelId, channel);
    }
  }
  return found;
}
