// Preparing: accepted tasks become chunks and receipts, priced; where the task and the customer allow it, the same
// transaction freezes the money and queues the chunks. Many tasks of one customer go through one transaction.

import { isAutomatic } from '../domain/automation.js';
import type { CustomerConfig } from '../domain/entities/customer.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import { ZERO } from '../domain/money.js';
import type { Region } from '../domain/phone.js';
import { makeRouter, type Router } from '../domain/routing.js';
import type { Stage } from '../domain/stages.js';
import { type Account, insertHolds, lockAccount, postEntries, writeEntries } from '../store/account.js';
import { readLiveChannels } from '../store/channel-lease.js';
import { insertChunks } from '../store/chunk.js';
import type { AnySql, Sql } from '../store/connect.js';
import { insertReceipts } from '../store/history.js';
import { type ClaimedTask, claimPrepareJobs, deleteJobs, insertTaskJob, readCustomersWithJobs } from '../store/job.js';
import { runTogether } from '../store/run-together.js';
import { readConfigVersion } from '../store/snapshot/rows.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { type TaskRecord, type TaskUpdate, updateTasks } from '../store/task.js';
import { type QueuedTask, readOptedOut, readQueuedTasks, readStillQueued } from '../store/task-prepare.js';
import { decideFreezes, type FreezeWish } from './freeze.js';
import { decodePayload } from './payload.js';
import { type NormalisedPayload, normalisePayload, type Plan, planTask } from './plan.js';
import { nextTimeline } from './timeline.js';
import type { Wake } from './wake.js';

export interface PrepareDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly refreshSnapshot: () => Promise<void>;
  readonly region: Region;
  readonly wake: Wake;
}

const MAX_TASKS = 500;
/** Bounds the memory of a transaction and how long it keeps the account to itself. */
const MAX_NUMBERS = 10_000;
const CUSTOMERS_A_ROUND = 64;
const CUSTOMERS_AT_ONCE = 2;

/**
 * Rounds over the customers that have tasks to prepare: each gets one turn, and the next round goes on behind the last one
 * served. A round returns true when there is certainly more to do.
 */
export function makePreparer(deps: PrepareDeps): () => Promise<boolean> {
  let served = 0n;
  return async () => {
    const customerIds = await readCustomersWithJobs(deps.sql, 'prepare', served, CUSTOMERS_A_ROUND);
    const isLast = customerIds.length < CUSTOMERS_A_ROUND;
    // Whoever is before the first one served has waited as long as anybody.
    const isWrapping = isLast && served > 0n;
    served = isLast ? 0n : (customerIds.at(-1) ?? 0n);
    if (customerIds.length === 0) return isWrapping;
    const isUp = await upChannels(deps);
    const turns = [...customerIds];
    let isMore = !isLast || isWrapping;
    const takeTurns = async (): Promise<void> => {
      for (let id = turns.shift(); id !== undefined; id = turns.shift()) {
        isMore = (await prepareCustomer(deps, id, isUp)) || isMore;
      }
    };
    await Promise.all(Array.from({ length: CUSTOMERS_AT_ONCE }, takeTurns));
    return isMore;
  };
}

async function upChannels(deps: PrepareDeps): Promise<(channelId: bigint) => boolean> {
  const live = await readLiveChannels(deps.sql);
  return (channelId) => live.has(channelId);
}

/** Prepares the oldest tasks of one customer that nobody else is preparing; true when there are more. */
async function prepareCustomer(
  deps: PrepareDeps,
  customerId: CustomerId,
  isUp: (channelId: bigint) => boolean,
): Promise<boolean> {
  let queued = false;
  let isStale = false;
  const done = await deps.sql.begin(async (tx) => {
    const [jobs, version] = await Promise.all([claimPrepareJobs(tx, customerId, MAX_TASKS), readConfigVersion(tx)]);
    const claimed = firstNumbers(jobs);
    if (claimed.length === 0) return false;
    // Another process may have accepted a task for a template that this one has not heard of yet: it would fail for good.
    isStale = version > deps.snapshot().version;
    if (isStale) return false;
    const taskIds = claimed.map((job) => job.taskId);
    const plans = await planTasks(deps, tx, customerId, taskIds, isUp);
    // A task may have been cancelled, or prepared by way of another job, before the lock was ours.
    const [account, stillQueued] = await Promise.all([
      lockAccount(tx, customerId),
      readStillQueued(tx, customerId, taskIds),
    ]);
    const customer = deps.snapshot().customer(customerId);
    if (customer === undefined) throw new Error(`customer ${customerId} is not in the snapshot`);
    const live = plans.filter((planned) => stillQueued.has(planned.record.taskId));
    const jobIds = claimed.map((job) => job.jobId);
    queued = await writePlans(tx, customer, account, live, jobIds);
    return claimed.length < jobs.length || jobs.length === MAX_TASKS;
  });
  if (isStale) {
    await deps.refreshSnapshot();
    return await prepareCustomer(deps, customerId, isUp);
  }
  if (queued) deps.wake.notify('dispatch');
  return done;
}

function firstNumbers(claimed: readonly ClaimedTask[]): ClaimedTask[] {
  let numbers = 0;
  return claimed.filter((job, index) => {
    numbers += job.total;
    return index === 0 || numbers <= MAX_NUMBERS;
  });
}

interface Planned {
  readonly record: TaskRecord;
  /** Undefined: the task cannot go on. */
  readonly plan: Plan | undefined;
}

async function planTasks(
  deps: PrepareDeps,
  tx: AnySql,
  customerId: CustomerId,
  taskIds: readonly TaskId[],
  isUp: (channelId: bigint) => boolean,
): Promise<Planned[]> {
  const tasks = await readQueuedTasks(tx, customerId, taskIds);
  const normalised = tasks.map((task) => normalisePayload(decodePayload(task.payload), deps.region));
  const phoneKeys = new Set<string>();
  for (const { to } of normalised) for (const number of to) if (number !== undefined) phoneKeys.add(number);
  const optedOut = await readOptedOut(tx, customerId, [...phoneKeys]);
  const routers = new Map<string, Router>();
  return tasks.map((task, index) => {
    const numbers = normalised[index];
    if (numbers === undefined) throw new Error('a task without its numbers');
    return { record: task.record, plan: planOne(deps.snapshot(), task, numbers, optedOut, routers, isUp) };
  });
}

function planOne(
  snapshot: Snapshot,
  task: QueuedTask,
  numbers: NormalisedPayload,
  optedOut: ReadonlySet<string>,
  routers: Map<string, Router>,
  isUp: (channelId: bigint) => boolean,
): Plan | undefined {
  const { customerId, taskId, templateId, serviceAccountId, targetFirms } = task.record;
  const template = snapshot.templateById(templateId);
  if (template === undefined || template.status !== 'active') return undefined;
  const routerKey = `${templateId} ${targetFirms?.join(' ') ?? ''}`;
  const limits = { targetFirms: targetFirms ?? [], approvedFirms: template.firms };
  const route =
    routers.get(routerKey) ?? makeRouter(snapshot.firms(), snapshot.grantedChannels(customerId), isUp, limits);
  routers.set(routerKey, route);
  return planTask(numbers, {
    taskId,
    serviceAccountId,
    route,
    optedOut,
    unitPrice: (firm) => snapshot.unitPrice(customerId, firm),
    turn: Number(taskId & 0xfffffn),
  });
}

/** Writes the plans of tasks that are still queued, and ends their jobs; true when chunks were put up for dispatch. */
async function writePlans(
  tx: AnySql,
  customer: CustomerConfig,
  account: Account,
  planned: readonly Planned[],
  jobIds: readonly bigint[],
): Promise<boolean> {
  const { customerId } = customer;
  const { now } = account;
  const wishes = planned.flatMap(({ record, plan }) =>
    plan !== undefined && plan.chunks.length > 0 && isAutomatic('freeze', record, customer.policy)
      ? [wishOf(record, plan)]
      : [],
  );
  const decision = decideFreezes(account, wishes);
  const frozen = new Set(decision.granted.map((wish) => wish.taskId));
  const refused = new Set(decision.refused.map((wish) => wish.taskId));
  const queued = new Set(
    planned
      .filter(({ record }) => frozen.has(record.taskId) && isAutomatic('submit', record, customer.policy))
      .map(({ record }) => record.taskId),
  );
  const chunks = planned.flatMap(({ plan }) => plan?.chunks ?? []);
  const receipts = planned.flatMap(({ plan }) => plan?.rejected ?? []);
  const updates = planned.map(({ record, plan }) =>
    updateOf(record, plan, {
      frozen: frozen.has(record.taskId),
      refused: refused.has(record.taskId),
      queued: queued.has(record.taskId),
      now,
    }),
  );
  const posted = postEntries(account, decision.entries);
  if (chunks.length > 0)
    await insertChunks(
      tx,
      customerId,
      chunks,
      chunks.map((chunk) => queued.has(chunk.taskId)),
    );
  await runTogether(tx, [
    receipts.length > 0 && insertReceipts(tx, customerId, receipts, now),
    updates.length > 0 && updateTasks(tx, customerId, updates, now),
    frozen.size > 0 &&
      insertHolds(
        tx,
        customerId,
        decision.granted.map((w) => ({ taskId: w.taskId, frozen: w.price })),
        customer,
      ),
    refused.size > 0 && insertTaskJob(tx, 'freeze', customerId, [...refused]),
    deleteJobs(tx, jobIds),
    ...writeEntries(tx, posted.account, posted.posted),
  ]);
  return queued.size > 0;
}

function wishOf(record: TaskRecord, plan: Plan): FreezeWish {
  return { taskId: record.taskId, price: plan.price, numbers: record.counts.total - plan.rejected.length };
}

function updateOf(
  record: TaskRecord,
  plan: Plan | undefined,
  state: { frozen: boolean; refused: boolean; queued: boolean; now: Date },
): TaskUpdate {
  const { now } = state;
  const stages: Stage[] = plan === undefined ? ['failed'] : ['prepared'];
  if (plan !== undefined && plan.chunks.length === 0) stages.push('completed');
  if (state.queued) stages.push('submitting');
  const stage = stages.at(-1) ?? 'prepared';
  const rejected = plan?.rejected.length ?? 0;
  return {
    taskId: record.taskId,
    stage,
    ...(plan === undefined ? { failure: 'template_unavailable' } : {}),
    insufficientFunds: state.refused,
    frozenAt: state.frozen ? now : null,
    price: plan?.price ?? ZERO,
    counts: { ...record.counts, rejected, unsent: record.counts.total - rejected },
    timeline: nextTimeline(record.timeline, stages, now),
    completedAt: stage === 'completed' || stage === 'failed' ? now : null,
  };
}
