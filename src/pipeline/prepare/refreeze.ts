// After a top-up, with a higher limit, and when a day begins, tasks that wait for it are tried again, oldest first, without
// anybody asking.

import { isAutomatic } from '../../domain/automation.js';
import type { CustomerConfig } from '../../domain/entities/customer.js';
import { tryFreeze, waitingFor } from '../../domain/freeze.js';
import type { CustomerId } from '../../domain/id.js';
import { type Account, nextQueueNo } from '../../domain/ledger.js';
import { mayStart, startOf } from '../../domain/schedule.js';
import { NOTHING_HELD, nextTimeline, sendableOf, type Task, type TaskChange } from '../../domain/task.js';
import { beginDays, lockAccount, readRefreezeWanted, wantRefreeze, writeAccounts } from '../../store/account.js';
import { queueChunks, readUnqueued } from '../../store/chunk.js';
import type { AnySql, Sql } from '../../store/connect.js';
import { runTogether } from '../../store/run-together.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { readWaitingForMoney, updateTasks } from '../../store/task.js';
import type { Wake } from '../wake.js';

export interface RefreezeDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly wake: Wake;
}

const CUSTOMERS_A_ROUND = 64;
const TASKS_A_PAGE = 500;

export async function refreezeRound(deps: RefreezeDeps, bucket: number): Promise<boolean> {
  await beginDays(deps.sql, bucket);
  const customerIds = await readRefreezeWanted(deps.sql, bucket, CUSTOMERS_A_ROUND);
  for (const customerId of customerIds) await refreezeCustomer(deps, customerId);
  return customerIds.length === CUSTOMERS_A_ROUND;
}

/** Page by page, a transaction each: a customer with many waiting tasks must not keep its account from everybody else. */
async function refreezeCustomer(deps: RefreezeDeps, customerId: CustomerId): Promise<void> {
  const customer = deps.snapshot().customer(customerId);
  if (customer === undefined) return;
  for (let after: bigint | undefined = 0n; after !== undefined; ) {
    const from: bigint = after;
    after = await deps.sql.begin((tx) => freezePage(tx, customer, from));
    deps.wake.notify('dispatch');
  }
}

/** Tries one page of waiting tasks; the mark to go on from, or undefined when there are no more. */
async function freezePage(tx: AnySql, customer: CustomerConfig, after: bigint): Promise<bigint | undefined> {
  const { account, now } = await lockAccount(tx, customer);
  const waiting = await readWaitingForMoney(tx, customer, after, TASKS_A_PAGE);
  const granted: Task[] = [];
  const refused: TaskChange[] = [];
  for (const task of waiting) {
    if (task.stage !== 'prepared' || !isAutomatic('freeze', task, customer.policy)) continue;
    const obstacle = tryFreeze(account, { ...task, numbers: sendableOf(task) }, now);
    if (obstacle === undefined) granted.push(task);
    // What it waits for may have changed: the day has begun, and now there is no money.
    else if (task.overLimit !== (obstacle === 'limit')) refused.push({ ...task, ...waitingFor(obstacle) });
  }
  await writeFreezes(tx, customer, account, granted, now);
  if (refused.length > 0) await updateTasks(tx, customer.bucket, refused, now);
  const next = waiting.length < TASKS_A_PAGE ? undefined : waiting.at(-1)?.taskId;
  // Money that came in since set the wish again, and is waiting for this lock.
  if (next === undefined) await wantRefreeze(tx, customer, false);
  return next;
}

/** Writes freezes that have been posted to the locked account, and queues the tasks that go on by themselves. */
export async function writeFreezes(
  tx: AnySql,
  customer: CustomerConfig,
  account: Account,
  tasks: readonly Task[],
  now: Date,
): Promise<void> {
  if (tasks.length === 0) return;
  const { bucket } = customer;
  const changes = tasks.map((task) => frozenChange(task, customer, now));
  const going = changes.filter(({ stage }) => stage === 'submitting');
  const chunks = going.length > 0 ? await readUnqueued(tx, bucket, going) : [];
  const places = chunks.map(() => nextQueueNo(account));
  await runTogether(tx, [
    updateTasks(tx, bucket, changes, now),
    chunks.length > 0 && queueChunks(tx, bucket, chunks, places),
    ...writeAccounts(tx, bucket, [account]),
  ]);
}

function frozenChange(task: Task, customer: CustomerConfig, now: Date): TaskChange {
  const isGoing = isAutomatic('submit', task, customer.policy);
  const stage = isGoing && mayStart(task, now) ? 'submitting' : task.stage;
  const { chargeOn, refundOnFailure } = customer;
  return {
    ...task,
    stage,
    insufficientFunds: false,
    overLimit: false,
    submitAt: isGoing && stage !== 'submitting' ? startOf(task, now) : null,
    frozenAt: now,
    hold: { ...NOTHING_HELD, frozen: task.price },
    terms: { chargeOn, refundOnFailure },
    timeline: nextTimeline(task.timeline, [stage], now),
  };
}
