// Settles a batch of delivery events in one transaction: states, wire records, receipts, counts, stages and money. A batch is of one bucket
// and of all its customers, so that its cost depends on the number of events and not on the number of customers.

import { type ChunkKey, taskKeyOf } from '../../domain/chunk/chunk.js';
import { type CustomerId, type TaskId, timeOfId } from '../../domain/id.js';
import type { Account } from '../../domain/money/ledger.js';
import { concludeBatch, newLateDeliveries } from '../../domain/outcome/conclude-batch.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import { explainDeclined, explainMixed } from '../../domain/outcome/explain.js';
import { applyDeliveryEvent, type Settlement, startSettlement } from '../../domain/outcome/settlement.js';
import type { SettledTask } from '../../domain/task/task.js';
import { readOptedOut } from '../../sending-rules/opt-outs/opted-out.js';
import { optOuts } from '../../sending-rules/opt-outs/rule.js';
import { RULES } from '../../sending-rules/rules.js';
import type { Lease } from '../../store/channel/channel-lease.js';
import {
  deleteChunks,
  insertChunks,
  queueChunksOnTheWire,
  readChunkStates,
  unqueueChunks,
  writeChunkStates,
} from '../../store/chunk/chunk.js';
import { bucketSql, spanningSql } from '../../store/cluster/distribution.js';
import { lockAccounts, lockFreeAccounts, writeAccounts } from '../../store/money/account.js';
import { type CommitMark, readCommitMark, writeCommitMark } from '../../store/recovery/commit-mark.js';
import { runTogether } from '../../store/run-together.js';
import type { AnySql, Sql } from '../../store/sql.js';
import { logFinished } from '../../store/task/finished.js';
import { readSettledTasks, updateTasks } from '../../store/task/task.js';
import { type LastStatements, transact } from '../../store/transact.js';
import {
  insertDeliveries,
  insertReceipts,
  insertSubmits,
  readRefusals,
  readReports,
  resolveSubmits,
} from '../../store/wire/records.js';
import { placeReports } from '../../store/wire/reports.js';
import { deleteUnknownParts, insertUnknownParts } from '../../store/wire/unknown-part.js';
import { deleteUnmatchedReports } from '../../store/wire/unmatched-report.js';
import type { CostOf } from './number-cost.js';

export interface SettleLimits {
  readonly receiptTimeoutMs: number;
  readonly unknownTimeoutMs: number;
  /** Our cost of numbers; omitted: not recorded. */
  readonly costOf?: CostOf;
}

/** The order of a transaction among those of its bucket. */
export interface TransactionOrder {
  /** The transaction ahead. This one may lock and read before it is committed, but writes nothing. */
  readonly ahead?: Promise<unknown> | undefined;
  /** Called when everything is read and decided, and the writes and the commit are being sent. */
  onWriting?(): void;
  /**
   * If set, the transaction does not wait for locked accounts. Called with the customers whose events are left out, before anything is
   * written.
   */
  readonly onLocked?: ((customerIds: ReadonlySet<CustomerId>) => void) | undefined;
}

/** The transaction ahead was not committed in time. This one was rolled back and must be retried after it. */
export class PrecedingBatchError extends Error {
  override readonly name = 'PrecedingBatchError';
  override readonly message = 'the transaction ahead was not committed';
}

/**
 * How long a batch waits for the commit of the one ahead, with its locks held and its connection idle. The database ends a connection that
 * is idle in a transaction after four seconds. In a stall the batch gives up earlier and releases its locks, so that its customers do not
 * wait, too.
 */
const MAX_BEHIND_MS = 1000;

/** Delivery events of one bucket, in the order in which they are applied. */
export interface EventBatch {
  readonly bucket: number;
  readonly deliveryEvents: readonly DeliveryEvent[];
  /** Those under which the events were obtained. A lost lease fails the whole batch. */
  readonly leases: readonly Lease[];
  /** Of this attempt. */
  readonly mark: CommitMark;
  /** By their numbers, what earlier attempts decided whose commit is in doubt. This attempt adds itself before it writes. */
  readonly inDoubt: Map<number, Decision>;
}

/** What a batch has decided, beyond what it writes. */
export type Decision = Pick<Settlement, 'refusedIntents' | 'earlyReports' | 'lostCommits'>;

/**
 * Settles a batch once, however often it is called with the same `inDoubt`: if an earlier attempt was committed, its decision is returned and
 * nothing is applied again. Otherwise nothing of it happened.
 */
export async function settle(
  sql: Sql,
  batch: EventBatch,
  limits: SettleLimits,
  order: TransactionOrder = {},
): Promise<Decision> {
  const { bucket, mark, inDoubt } = batch;
  // A stored report leaves the table of such reports, which belongs to no bucket.
  const isStored = batch.deliveryEvents.some(({ reportId }) => reportId !== undefined);
  return await transact<Decision>((isStored ? spanningSql : bucketSql)(sql, bucket), async (tx) => {
    const [settlement, last] = await Promise.all([
      readAndApply(tx, batch, order.onLocked),
      inDoubt.size > 0 ? readCommitMark(tx, bucket, mark) : undefined,
    ]);
    const decision = last === undefined ? undefined : inDoubt.get(last);
    if (decision !== undefined) return { result: decision };
    // The locks were held by every earlier attempt that could commit: all of them have ended, and none was committed.
    inDoubt.clear();
    const write = await planWrites(tx, bucket, settlement, limits, mark);
    if (order.ahead !== undefined && !(await isCommittedSoon(order.ahead))) throw new PrecedingBatchError();
    const end: LastStatements = () => {
      inDoubt.set(mark.number, settlement);
      const written = write();
      order.onWriting?.();
      return written;
    };
    return { result: settlement, end };
  });
}

async function isCommittedSoon(ahead: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, MAX_BEHIND_MS, false);
  });
  const committed = ahead.then(
    () => true,
    () => false,
  );
  return await Promise.race([committed, late]).finally(() => clearTimeout(timer));
}

/** Settles in a transaction of the caller. */
export async function settleWithin(
  tx: AnySql,
  bucket: number,
  deliveryEvents: readonly DeliveryEvent[],
  leases: readonly Lease[],
  limits: SettleLimits,
): Promise<Settlement> {
  const settlement = await readAndApply(tx, { bucket, deliveryEvents, leases });
  await writeSettlement(tx, bucket, settlement, limits);
  return settlement;
}

async function readAndApply(
  tx: AnySql,
  { bucket, deliveryEvents, leases }: Pick<EventBatch, 'bucket' | 'deliveryEvents' | 'leases'>,
  onLocked?: TransactionOrder['onLocked'],
): Promise<Settlement> {
  const { customerIds, chunks, tasks } = keysOf(deliveryEvents);
  // Sent in this order on one connection, each with its own snapshot: the reads after the locks see the state under them.
  const [{ accounts, now }, states, storedTasks] = await Promise.all([
    (onLocked === undefined ? lockAccounts : lockFreeAccounts)(tx, bucket, customerIds, leases),
    readChunkStates(tx, bucket, chunks),
    tasks.length > 0 ? readSettledTasks(tx, bucket, tasks) : [],
  ]);
  const hasAllLocks = accounts.size === customerIds.length;
  if (!hasAllLocks) onLocked?.(new Set(customerIds.filter((customerId) => !accounts.has(customerId))));
  const lockedTasks = hasAllLocks ? storedTasks : storedTasks.filter(({ customerId }) => accounts.has(customerId));
  const applied = hasAllLocks ? deliveryEvents : deliveryEvents.filter(({ chunk }) => accounts.has(chunk.customerId));
  const optedOut = await findOptedOut(tx, bucket, applied, accounts);
  const moreTasks = await readTasksOf(tx, bucket, [...optedOut.values()], lockedTasks);
  const settlement = startSettlement(now, accounts, states, [...lockedTasks, ...moreTasks], applied);
  for (const event of applied) applyDeliveryEvent(settlement, event, optedOut.get(event));
  return settlement;
}

/** Those that are not read yet. */
async function readTasksOf(
  tx: AnySql,
  bucket: number,
  deliveryEvents: readonly DeliveryEvent[],
  read: readonly SettledTask[],
): Promise<readonly SettledTask[]> {
  const missing = new Map(deliveryEvents.map(({ chunk }) => [chunk.taskKey, chunk]));
  for (const task of read) missing.delete(taskKeyOf(task));
  return missing.size === 0 ? [] : await readSettledTasks(tx, bucket, [...missing.values()]);
}

/** The clocks of processes and database differ by less. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * The intents of numbers that have opted out, each with the end of its number. Only the numbers of tasks that were accepted before the
 * last opt-out of their customer are looked up: all others were checked when they were prepared.
 */
async function findOptedOut(
  tx: AnySql,
  bucket: number,
  deliveryEvents: readonly DeliveryEvent[],
  accounts: ReadonlyMap<CustomerId, Account>,
): Promise<ReadonlyMap<DeliveryEvent, DeliveryEvent>> {
  const ends = new Map<DeliveryEvent, DeliveryEvent>();
  const suspects = deliveryEvents.filter(({ event, chunk }) => {
    if (event.kind !== 'intended') return false;
    const optedOutAt = accounts.get(chunk.customerId)?.optedOutAt ?? null;
    return optedOutAt !== null && optedOutAt.getTime() > timeOfId(chunk.taskId).getTime() - CLOCKS_DIFFER_MS;
  });
  if (suspects.length === 0) return ends;
  const numberOf = ({ chunk: { customerId, numbers }, index }: DeliveryEvent) => ({
    customerId,
    phoneKey: numbers.to[index] ?? '',
  });
  const optedOut = await readOptedOut(tx, bucket, suspects.map(numberOf), undefined);
  for (const suspect of suspects) {
    const { customerId, phoneKey } = numberOf(suspect);
    if (!optedOut.has(`${customerId}/${phoneKey}`)) continue;
    const { chunk, index, channelId } = suspect;
    ends.set(suspect, { chunk, index, part: 1, channelId, event: { kind: 'ended' }, code: optOuts.code });
  }
  return ends;
}

/** The customers, chunks and tasks of a batch. Intents change no task, unless their number is not sent. */
function keysOf(deliveryEvents: readonly DeliveryEvent[]) {
  const customerIds = new Set<CustomerId>();
  const chunks = new Map<string, ChunkKey>();
  const tasks = new Map<string, { customerId: CustomerId; taskId: TaskId }>();
  for (const { event, chunk, instead } of deliveryEvents) {
    customerIds.add(chunk.customerId);
    chunks.set(chunk.key, chunk);
    if (event.kind !== 'intended' || instead !== undefined) tasks.set(chunk.taskKey, chunk);
  }
  return { customerIds: [...customerIds], chunks: [...chunks.values()], tasks: [...tasks.values()] };
}

/** Writes a settlement under the locks of its accounts. */
export async function writeSettlement(
  tx: AnySql,
  bucket: number,
  settlement: Settlement,
  limits: SettleLimits,
): Promise<void> {
  const write = await planWrites(tx, bucket, settlement, limits);
  await write();
}

function costsOf({ receipts, tasks, now }: Settlement, { costOf }: SettleLimits): (bigint | null)[] | undefined {
  if (costOf === undefined) return undefined;
  return receipts.map((receipt) => costOf(receipt, tasks.get(taskKeyOf(receipt))?.task.templateId, now));
}

/** Reads what is missing, concludes the settlement and builds its statements. They run when the returned function is called. */
async function planWrites(
  tx: AnySql,
  bucket: number,
  settlement: Settlement,
  limits: SettleLimits,
  mark?: CommitMark,
): Promise<LastStatements> {
  const { now, submits, deliveries, receipts, unknown } = settlement;
  const afterNow = (ms: number) => new Date(now.getTime() + ms);
  if (settlement.mixed.length > 0) explainMixed(settlement, await readReports(tx, bucket, settlement.mixed));
  if (settlement.declinedBefore.length > 0)
    explainDeclined(settlement, await readRefusals(tx, bucket, settlement.declinedBefore));
  const late = settlement.lateDeliveries;
  if (late.length > 0) deliveries.push(...newLateDeliveries(late, await readReports(tx, bucket, late)));
  const { finished, open, moved, movedPlaces, tasks, unpaused, unpausedPlaces, submitIds, deliveryIds, receiptIds } =
    concludeBatch(settlement);
  const finishedLog = logFinished(tx, bucket, settlement.accounts, tasks, now);
  // Numbers that these tasks show as unsent may have been sent, because the database lost commits. `concludeBatch` has paused the tasks;
  // their chunks leave the queue. Those of a task without unsent numbers stay: the next owner of a channel looks there for what is on the wire.
  const pausedTasks = tasks.filter(
    (task) => task.paused === true && settlement.tasks.get(taskKeyOf(task))?.hasLostCommits,
  );
  // Records and places take their numbers from the accounts.
  const hasRecords = submits.length + deliveries.length + receipts.length > 0 || finishedLog !== false;
  const hasPlaces = moved.length > 0 || unpaused.length > 0 || open.some(({ newPlace }) => newPlace !== null);
  const hasEntries = [...settlement.accounts.values()].some(({ posted }) => posted.length > 0);
  const { others, otherIds, ofReceipts } = placeReports(deliveries, deliveryIds, receipts);
  const writes = [
    submits.length > 0 && insertSubmits(tx, bucket, submits, submitIds),
    others.length > 0 && insertDeliveries(tx, bucket, others, otherIds),
    receipts.length > 0 && insertReceipts(tx, bucket, receipts, receiptIds, costsOf(settlement, limits), ofReceipts),
    unknown.length > 0 && insertUnknownParts(tx, bucket, unknown, now, afterNow(limits.unknownTimeoutMs)),
    open.length > 0 && writeChunkStates(tx, bucket, open, now, afterNow(limits.receiptTimeoutMs)),
    finished.length > 0 && deleteChunks(tx, bucket, finished),
    ...RULES.map(({ recordEnds }) => recordEnds?.(tx, bucket, settlement) ?? false),
    moved.length > 0 && insertChunks(tx, bucket, moved, movedPlaces, now),
    tasks.length > 0 && updateTasks(tx, bucket, tasks, now),
    settlement.reportIds.length > 0 && deleteUnmatchedReports(tx, settlement.reportIds),
    mark !== undefined && writeCommitMark(tx, bucket, mark),
    ...(hasRecords || hasPlaces || hasEntries ? writeAccounts(tx, bucket, settlement.accounts.values()) : []),
  ];
  // These change rows that `writes` may insert or change, such as a part that became unknown in the same settlement. Statements that run
  // together do not see each other's rows.
  const afterwards = [
    settlement.resolutions.length > 0 && resolveSubmits(tx, bucket, settlement.resolutions, now),
    settlement.known.length > 0 && deleteUnknownParts(tx, bucket, settlement.known),
    pausedTasks.length > 0 && unqueueChunks(tx, bucket, pausedTasks),
    unpaused.length > 0 && queueChunksOnTheWire(tx, bucket, unpaused, unpausedPlaces, now),
    finishedLog,
  ];
  return () => Promise.all([runTogether(tx, writes), runTogether(tx, afterwards)]);
}
