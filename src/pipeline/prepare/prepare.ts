// Preparing: accepted tasks become chunks and receipts, priced; where the task and the customer allow it, the same
// transaction freezes the money and queues the chunks. Many tasks of many customers of a bucket go through one transaction.

import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { Log } from '../../domain/log.js';
import { decodePayload } from '../../domain/payload.js';
import type { Region } from '../../domain/phone.js';
import { type Lane, type NormalisedPayload, normalisePayload, type Plan, planTask } from '../../domain/plan.js';
import { makeRouter, type Router } from '../../domain/routing.js';
import type { Task } from '../../domain/task.js';
import { lockAccounts } from '../../store/account.js';
import { readLiveChannels } from '../../store/channel-lease.js';
import type { AnySql, Sql } from '../../store/connect.js';
import { isRetryable } from '../../store/retry.js';
import { readConfigVersion } from '../../store/snapshot/rows.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import {
  claimTasksToPrepare,
  type QueuedTask,
  readCustomersToPrepare,
  readOptedOut,
  setPrepareAside,
} from '../../store/task-prepare.js';
import type { Wake } from '../wake.js';
import { type Planned, writePlans } from './write-plans.js';

export interface PrepareDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly refreshSnapshot: () => Promise<void>;
  readonly region: Region;
  readonly wake: Wake;
  readonly log: Log;
}

/** Of a round, over all its customers. */
const MAX_TASKS = 500;
/** Bounds the memory of a transaction, and how long it keeps the accounts and this process to itself. */
const MAX_NUMBERS = 5000;
const CUSTOMERS_A_ROUND = 200;

interface Queue {
  readonly bucket: number;
  readonly lane: Lane;
}

/**
 * Rounds over the customers that have tasks to prepare: each gets its share of a round, and the next round goes on behind
 * the last one served. A round returns true when there is certainly more to do.
 */
export function makePreparer(deps: PrepareDeps, bucket: number, lane: Lane): () => Promise<boolean> {
  let served = 0n;
  return async () => {
    const customerIds = await readCustomersToPrepare(deps.sql, bucket, lane, served, CUSTOMERS_A_ROUND);
    const isLast = customerIds.length < CUSTOMERS_A_ROUND;
    // Whoever is before the first one served has waited as long as anybody.
    const isWrapping = isLast && served > 0n;
    served = isLast ? 0n : (customerIds.at(-1) ?? 0n);
    if (customerIds.length === 0) return isWrapping;
    return (await prepareCustomers(deps, { bucket, lane }, customerIds)) || !isLast || isWrapping;
  };
}

/** True when these customers have more to prepare. A task that cannot be prepared is set aside and holds nobody back. */
async function prepareCustomers(deps: PrepareDeps, queue: Queue, customerIds: CustomerId[]): Promise<boolean> {
  try {
    return await prepareTogether(deps, queue, customerIds, Math.ceil(MAX_TASKS / customerIds.length));
  } catch (error) {
    if (isRetryable(error)) throw error;
    if (customerIds.length === 1) await prepareOneByOne(deps, queue, customerIds);
    else for (const customerId of customerIds) await prepareCustomers(deps, queue, [customerId]);
    return true;
  }
}

async function prepareOneByOne(deps: PrepareDeps, queue: Queue, customerIds: CustomerId[]): Promise<void> {
  const [first] = await claimTasksToPrepare(deps.sql, queue.bucket, queue.lane, customerIds, 1);
  try {
    await prepareTogether(deps, queue, customerIds, 1);
  } catch (error) {
    if (isRetryable(error) || first === undefined) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    deps.log.error({ err: error, task: String(first.task.taskId) }, 'a task could not be prepared and is set aside');
    await setPrepareAside(deps.sql, queue.bucket, first.task, reason);
  }
}

async function prepareTogether(
  deps: PrepareDeps,
  { bucket, lane }: Queue,
  customerIds: readonly CustomerId[],
  tasksEach: number,
): Promise<boolean> {
  let queued: readonly CustomerId[] = [];
  let isStale = false;
  const live = await readLiveChannels(deps.sql);
  const isMore = await deps.sql.begin(async (tx) => {
    const [tasks, version] = await Promise.all([
      claimTasksToPrepare(tx, bucket, lane, customerIds, tasksEach),
      readConfigVersion(tx),
    ]);
    const turn = takeTurns(tasks);
    if (turn.length === 0) return false;
    // Another process may have accepted a task for a template that this one has not heard of yet: it would fail for good.
    isStale = version > deps.snapshot().version;
    if (isStale) return false;
    const planned = await planTasks(deps, tx, bucket, turn, (channelId) => live.has(channelId));
    const locked = await lockAccounts(tx, bucket, [...new Set(turn.map(({ task }) => task.customerId))]);
    queued = await writePlans(tx, deps.snapshot(), locked, planned);
    return turn.length < tasks.length || tasks.length >= tasksEach;
  });
  if (isStale) {
    await deps.refreshSnapshot();
    return true;
  }
  if (queued.length > 0) {
    deps.wake.hint('dispatch', queued);
    deps.wake.notify('dispatch');
  }
  return isMore;
}

/** As many numbers as a transaction takes: the first task of every customer, then the second, and so on. */
function takeTurns(tasks: readonly QueuedTask[]): QueuedTask[] {
  const taken: QueuedTask[] = [];
  const byCustomer = [...groupBy(tasks, ({ task }) => task.customerId).values()];
  let numbers = 0;
  for (let round = 0; byCustomer.some((own) => round < own.length); round++) {
    for (const own of byCustomer) {
      const next = own[round];
      if (next === undefined) continue;
      numbers += next.task.counts.total;
      if (taken.length > 0 && numbers > MAX_NUMBERS) return taken;
      taken.push(next);
    }
  }
  return taken;
}

async function planTasks(
  deps: PrepareDeps,
  tx: AnySql,
  bucket: number,
  tasks: readonly QueuedTask[],
  isUp: (channelId: bigint) => boolean,
): Promise<Planned[]> {
  const normalised = tasks.map(({ payload }) => normalisePayload(decodePayload(payload), deps.region));
  const numbers = tasks.flatMap(({ task: { customerId } }, index) =>
    (normalised[index]?.to ?? []).flatMap((phoneKey) => (phoneKey === undefined ? [] : [{ customerId, phoneKey }])),
  );
  const optedOut = await readOptedOut(tx, bucket, numbers);
  const routers = new Map<string, Router>();
  return tasks.map(({ task }, index) => {
    const own = normalised[index];
    if (own === undefined) throw new Error('a task without its numbers');
    return { task, plan: planOne(deps.snapshot(), task, own, optedOut, routers, isUp) };
  });
}

/** What of a task decides how its numbers go. */
export type PlannableTask = Pick<
  Task,
  'bucket' | 'customerId' | 'taskId' | 'templateId' | 'serviceAccountId' | 'targetFirms'
> & { readonly expiresAt?: Date | null };

/** Undefined: the task cannot go on, because its template is gone. */
export function planOne(
  snapshot: Snapshot,
  task: PlannableTask,
  numbers: NormalisedPayload,
  optedOut: ReadonlySet<string>,
  routers: Map<string, Router>,
  isUp: (channelId: bigint) => boolean,
): Plan | undefined {
  const { bucket, customerId, taskId, templateId, serviceAccountId, targetFirms } = task;
  const template = snapshot.templateById(templateId);
  if (template === undefined || template.status !== 'active') return undefined;
  const routerKey = `${customerId} ${templateId} ${targetFirms?.join(' ') ?? ''}`;
  const limits = { targetFirms: targetFirms ?? [], approvedFirms: template.firms };
  const route =
    routers.get(routerKey) ?? makeRouter(snapshot.firms(), snapshot.grantedChannels(customerId), isUp, limits);
  routers.set(routerKey, route);
  return planTask(numbers, {
    bucket,
    customerId,
    taskId,
    serviceAccountId,
    expiresAt: task.expiresAt ?? null,
    route,
    isOptedOut: (phoneKey) => optedOut.has(`${customerId}/${phoneKey}`),
    unitPrice: (firm) => snapshot.unitPrice(customerId, firm),
    turn: Number(taskId & 0xfffffn),
  });
}
