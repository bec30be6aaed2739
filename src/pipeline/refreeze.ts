// After a top-up, tasks that wait for money are tried again, oldest first, without anybody asking.

import { isAutomatic } from '../domain/automation.js';
import type { CustomerConfig } from '../domain/entities/customer.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import type { Stage } from '../domain/stages.js';
import { type Account, type Entry, insertHolds, lockAccount, postEntries, writeEntries } from '../store/account.js';
import { queueChunks } from '../store/chunk.js';
import type { AnySql, Sql } from '../store/connect.js';
import { claimRefreezeJobs, deleteJobs, readCustomersWithJobs, readFreezeJobs } from '../store/job.js';
import { runTogether } from '../store/run-together.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { readTasks, type TaskRecord, type TaskUpdate, updateTasks } from '../store/task.js';
import { decideFreezes } from './freeze.js';
import { nextTimeline } from './timeline.js';
import type { Wake } from './wake.js';

export interface RefreezeDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly wake: Wake;
}

const CUSTOMERS_A_ROUND = 64;
const TASKS_A_PAGE = 500;

export async function refreezeRound(deps: RefreezeDeps): Promise<boolean> {
  const customerIds = await readCustomersWithJobs(deps.sql, 'refreeze', 0n, CUSTOMERS_A_ROUND);
  let tried = false;
  for (const customerId of customerIds) tried = (await refreezeCustomer(deps, customerId)) || tried;
  return tried;
}

async function refreezeCustomer(deps: RefreezeDeps, customerId: CustomerId): Promise<boolean> {
  const customer = deps.snapshot().customer(customerId);
  if (customer === undefined) return false;
  const claimed = await deps.sql.begin(async (tx) => {
    const jobIds = await claimRefreezeJobs(tx, customerId);
    if (jobIds.length === 0) return false;
    for (let after: bigint | undefined = 0n; after !== undefined; ) after = await freezePage(tx, customer, after);
    await deleteJobs(tx, jobIds);
    return true;
  });
  if (claimed) deps.wake.notify('dispatch');
  return claimed;
}

/** Tries one page of waiting tasks; the mark to go on from, or undefined when the money or the tasks are at an end. */
async function freezePage(tx: AnySql, customer: CustomerConfig, after: bigint): Promise<bigint | undefined> {
  const { customerId } = customer;
  const account = await lockAccount(tx, customerId);
  if (account.available + account.creditLimit <= 0n) return undefined;
  const waiting = await readFreezeJobs(tx, customerId, after, TASKS_A_PAGE);
  if (waiting.length === 0) return undefined;
  const records = await readTasks(
    tx,
    customerId,
    waiting.map((job) => job.taskId),
  );
  const byId = new Map(records.map((record) => [record.taskId, record]));
  // Cancelled, or frozen by hand, in the meantime: nothing left to try.
  const isOpen = (record: TaskRecord | undefined): record is TaskRecord =>
    record !== undefined && record.stage === 'prepared' && record.frozenAt === null;
  const open = waiting.map((job) => byId.get(job.taskId)).filter(isOpen);
  const decision = decideFreezes(account, open.map(wishOf));
  const granted = new Set(decision.granted.map((wish) => wish.taskId));
  const done = waiting.filter((job) => granted.has(job.taskId) || !isOpen(byId.get(job.taskId)));
  await writeFreezes(
    tx,
    customer,
    open.filter((record) => granted.has(record.taskId)),
    account,
    decision.entries,
  );
  if (done.length > 0)
    await deleteJobs(
      tx,
      done.map((job) => job.jobId),
    );
  return waiting.length < TASKS_A_PAGE ? undefined : waiting.at(-1)?.jobId;
}

export function wishOf(record: TaskRecord): { taskId: TaskId; price: TaskRecord['price']; numbers: number } {
  return { taskId: record.taskId, price: record.price, numbers: record.counts.total - record.counts.rejected };
}

/** Writes freezes that have been decided under the account's lock, and queues the tasks that go on by themselves. */
export async function writeFreezes(
  tx: AnySql,
  customer: CustomerConfig,
  records: readonly TaskRecord[],
  account: Account,
  entries: readonly Entry[],
): Promise<void> {
  if (records.length === 0) return;
  const { customerId } = customer;
  const queued = records.filter((record) => isAutomatic('submit', record, customer.policy)).map((r) => r.taskId);
  const posted = postEntries(account, entries);
  const updates = records.map((record) => frozenUpdate(record, queued.includes(record.taskId), account.now));
  await runTogether(tx, [
    updateTasks(tx, customerId, updates, account.now),
    insertHolds(
      tx,
      customerId,
      records.map(({ taskId, price }) => ({ taskId, frozen: price })),
      customer,
    ),
    ...writeEntries(tx, posted.account, posted.posted),
  ]);
  if (queued.length > 0) await queueChunks(tx, customerId, queued);
}

function frozenUpdate(record: TaskRecord, queued: boolean, now: Date): TaskUpdate {
  const stage: Stage = queued ? 'submitting' : record.stage;
  const { taskId, price, counts } = record;
  const timeline = nextTimeline(record.timeline, [stage], now);
  return { taskId, stage, insufficientFunds: false, frozenAt: now, price, counts, timeline, completedAt: null };
}
