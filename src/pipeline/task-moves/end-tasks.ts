// Ends the unsent numbers of tasks that were cancelled or expired, in the transaction that holds the locks of their accounts. Receipts,
// counts, stages and money come from the settlement, as for every other outcome.

import { type StoredChunk, taskKeyOf } from '../../domain/chunk/chunk.js';
import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import { endDeliveryEvents, endTask, type TaskToEnd } from '../../domain/outcome/ending.js';
import { startSettlement, storedStateOf } from '../../domain/outcome/settlement.js';
import type { Region } from '../../domain/phone/phone.js';
import { rejectAll } from '../../domain/plan/plan.js';
import type { Receipt } from '../../domain/record/records.js';
import { readPhones } from '../../domain/request/payload.js';
import { sendingHoursAt } from '../../domain/rules/send-windows.js';
import { finishSteps } from '../../domain/steps.js';
import { isDispatching, isDueToEnd } from '../../domain/task/schedule.js';
import type { Ending, Task, TaskKey } from '../../domain/task/task.js';
import { startTask } from '../../domain/task/task-steps.js';
import { readChunksOfTasks } from '../../store/chunk/chunk.js';
import { type LockedAccounts, lockAccountsOrSkip, type TakenLocks } from '../../store/money/account.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { AnySql, Sql } from '../../store/sql.js';
import { lockQueued, readDueToEnd, readPayloads, readSubmitted, readTasks } from '../../store/task/task.js';
import { slicer } from '../fairness/slicer.js';
import type { Quarantine } from '../quarantine/quarantine.js';
import { type SettleLimits, writeSettlement } from '../settle/settle.js';
import type { Wake } from '../wake.js';
import { writeTasks } from './write-tasks.js';

export interface EndDeps {
  readonly snapshot: () => Snapshot;
  readonly region: Region;
  readonly limits: SettleLimits;
  /** Receipts of unprepared tasks that were computed before the transaction, by task. */
  readonly unprepared?: ReadonlyMap<string, readonly Receipt[]>;
}

/** Numbers ended in one transaction: bounds how long it locks their accounts. */
const MAX_ENDED_NUMBERS = 10_000;
const TASKS_A_ROUND = 200;

/** The tasks were read under the locks; unprepared tasks are locked, too. */
export async function endTasks(
  tx: AnySql,
  locked: LockedAccounts,
  tasks: readonly Task[],
  ending: Ending,
  deps: EndDeps,
): Promise<void> {
  const { bucket, accounts, now } = locked;
  const ends = await readEnds(tx, locked, tasks, ending, deps);
  const states = ends.flatMap(({ chunks }) => chunks.map(storedStateOf));
  const batch = startSettlement(now, accounts, states, tasks, ends.flatMap(endDeliveryEvents));
  for (const end of ends) endTask(batch, end);
  await writeSettlement(tx, bucket, batch, deps.limits);
  // Messages in progress are completed, or their answers awaited, even if the task was paused or rescheduled.
  const left = (await readTasks(tx, bucket, tasks)).filter(
    (task) => task.stage === 'submitting' && !isDispatching(task),
  );
  await writeTasks(
    tx,
    locked,
    left.map((task) => startTask(task, now)),
    deps.snapshot(),
  );
}

async function readEnds(
  tx: AnySql,
  { bucket, now }: LockedAccounts,
  tasks: readonly Task[],
  ending: Ending,
  { region, snapshot, unprepared: computed }: EndDeps,
): Promise<(TaskToEnd & { readonly chunks: readonly (StoredChunk & { readonly canSend: boolean })[] })[]> {
  const [stored, payloads, submitted] = await Promise.all([
    readChunksOfTasks(tx, bucket, tasks),
    readPayloads(
      tx,
      bucket,
      tasks.filter((task) => isUnprepared(task) && computed?.has(taskKeyOf(task)) !== true),
    ),
    readSubmitted(tx, bucket, tasks),
  ]);
  const byTask = groupBy(stored, ({ chunk }) => chunk.taskKey);
  return tasks.map((task) => {
    const key = taskKeyOf(task);
    const isOpen = isWithinSendingHours(snapshot(), task, now);
    const chunks = (byTask.get(key) ?? []).map((each) => ({
      ...each,
      canSend: isOpen && snapshot().isGranted(task.customerId, each.chunk.channelId),
    }));
    const payload = payloads.get(task.taskId);
    const read = () => (payload === undefined ? [] : finishSteps(rejectAll(readPhones(payload), task, ending, region)));
    const unprepared = isUnprepared(task) ? (computed?.get(key) ?? read()) : [];
    return { task, ending, chunks, unprepared, hasSubmits: submitted.has(key) };
  });
}

function isWithinSendingHours(snapshot: Snapshot, { customerId, templateId }: Task, now: Date): boolean {
  const { sendWindows = [] } = snapshot.customer(customerId) ?? {};
  return sendingHoursAt(sendWindows, snapshot.classOf(templateId), now.getTime()).isOpen;
}

function isUnprepared({ stage }: Task): boolean {
  return stage === 'queued';
}

/**
 * The receipts of unprepared tasks. Parsing thousands of numbers in unusual notation takes a tenth of a second, so it is done in slices
 * before the transaction. Tasks that are prepared meanwhile do not need them.
 */
export async function rejectUnprepared(
  { sql, region }: Pick<EndDeps, 'region'> & { readonly sql: Sql },
  bucket: number,
  tasks: readonly Task[],
  ending: Ending,
): Promise<ReadonlyMap<string, readonly Receipt[]>> {
  const queued = tasks.filter(isUnprepared);
  const receipts = new Map<string, readonly Receipt[]>();
  if (queued.length === 0) return receipts;
  const payloads = await readPayloads(sql, bucket, queued);
  for (const task of queued) {
    const payload = payloads.get(task.taskId);
    if (payload === undefined) continue;
    const steps = rejectAll(readPhones(payload), task, ending, region);
    receipts.set(taskKeyOf(task), await slicer.run(`${task.customerId}`, steps));
  }
  return receipts;
}

/** Ends expired tasks; returns true if there may be more. */
export async function endExpiredTasks(
  deps: EndDeps & { readonly sql: Sql; readonly wake: Wake; readonly quarantine: Quarantine },
  bucket: number,
): Promise<boolean> {
  const { sql, quarantine } = deps;
  const due = await readDueToEnd(sql, bucket, TASKS_A_ROUND, quarantine.waitingTasks('end', bucket));
  if (due.length === 0) return false;
  let hasEnded = false;
  for (const page of cutByNumbers(await readTasks(sql, bucket, due))) {
    const unprepared = await rejectUnprepared(deps, bucket, page, 'expired_unsent');
    await quarantine.run('end', bucket, page, async (keys, mayWait) => {
      const { leftOut, ended } = await sql.begin((tx) => endIfDue(tx, bucket, keys, mayWait, { ...deps, unprepared }));
      if (ended > 0) hasEnded = true;
      return leftOut;
    });
  }
  deps.wake.notify('dispatch', bucket);
  // As in `startDueTasks`.
  return hasEnded && due.length === TASKS_A_ROUND;
}

/** `leftOut` are the customers whose tasks are left, because their account or a task is locked. */
async function endIfDue(
  tx: AnySql,
  bucket: number,
  keys: readonly TaskKey[],
  mayWait: boolean,
  deps: EndDeps,
): Promise<{ readonly leftOut: ReadonlySet<CustomerId>; readonly ended: number }> {
  const { locked, tasks, leftOut } = await lockTasks(tx, bucket, keys, mayWait);
  const due = tasks.filter((task) => isDueToEnd(task, locked.now));
  if (due.length > 0) await endTasks(tx, locked, due, 'expired_unsent', deps);
  return { leftOut, ended: due.length };
}

/**
 * Reads tasks under the locks of their accounts. Unprepared tasks are locked before the accounts, in the same order as in the
 * transaction that prepares them. Without `mayWait`, tasks of customers of which something is locked are left out.
 */
export async function lockTasks(
  tx: AnySql,
  bucket: number,
  keys: readonly TaskKey[],
  mayWait = true,
): Promise<TakenLocks & { readonly tasks: readonly Task[] }> {
  const customerIds: CustomerId[] = [...new Set(keys.map(({ customerId }) => customerId))];
  // Pipelined: executed in this order.
  const [queued, locks, tasks] = await Promise.all([
    lockQueued(tx, bucket, keys, mayWait),
    lockAccountsOrSkip(tx, bucket, customerIds, mayWait),
    readTasks(tx, bucket, keys),
  ]);
  if (mayWait) return { ...locks, tasks };
  const held = new Set(queued.map(taskKeyOf));
  const leftOut = new Set(locks.leftOut);
  for (const task of tasks) if (isUnprepared(task) && !held.has(taskKeyOf(task))) leftOut.add(task.customerId);
  return { locked: locks.locked, leftOut, tasks: tasks.filter(({ customerId }) => !leftOut.has(customerId)) };
}

/** Pages of tasks with at most `MAX_ENDED_NUMBERS` numbers. */
export function cutByNumbers(tasks: readonly Task[]): Task[][] {
  const pages: Task[][] = [];
  let numbers = 0;
  for (const task of tasks) {
    const page = pages.at(-1);
    numbers += task.counts.total;
    if (page !== undefined && numbers <= MAX_ENDED_NUMBERS) page.push(task);
    else {
      pages.push([task]);
      numbers = task.counts.total;
    }
  }
  return pages;
}
