// Preparing: accepted tasks become chunks and receipts, priced; where the task and the customer allow it, the same
// transaction freezes the money and queues the chunks. Many tasks of many customers of a bucket go through one transaction.

import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { Log } from '../../domain/log.js';
import type { Alphabet } from '../../domain/parts.js';
import { decodePayload } from '../../domain/payload.js';
import type { Region } from '../../domain/phone.js';
import { type Lane, type NormalisedPayload, normalisePayload, type Plan, planTask } from '../../domain/plan.js';
import { makeRouter, type Router } from '../../domain/routing.js';
import type { Task } from '../../domain/task.js';
import { readLiveChannels } from '../../store/channel/channel-lease.js';
import type { AnySql, Sql } from '../../store/connect.js';
import { lockAccounts } from '../../store/money/account.js';
import { isRetryable } from '../../store/retry.js';
import { readConfigVersion } from '../../store/snapshot/rows.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import {
  claimTasksToPrepare,
  type DueTask,
  type QueuedTask,
  readOptedOut,
  readTasksToPrepare,
  setPrepareAside,
} from '../../store/task/task-prepare.js';
import { type Transacted, transact } from '../../store/transact.js';
import { runApart } from '../run-apart.js';
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

/**
 * Rounds over the customers that have tasks to prepare, a transaction each: everybody gets a share of a round, and the next
 * one goes on behind the last customer served. A round returns true when there is certainly more to do.
 */
export function makePreparer(deps: PrepareDeps, bucket: number, lane: Lane): () => Promise<boolean> {
  let served = 0n;
  return async () => {
    const share = { customers: CUSTOMERS_A_ROUND, tasks: MAX_TASKS };
    const due = await readTasksToPrepare(deps.sql, bucket, lane, served, share);
    const byCustomer = groupBy(due, ({ customerId }) => customerId);
    const isLast = byCustomer.size < CUSTOMERS_A_ROUND;
    // Whoever is before the first one served has waited as long as anybody.
    const isWrapping = isLast && served > 0n;
    served = isLast ? 0n : (due.at(-1)?.customerId ?? 0n);
    const left = await prepareNext(deps, bucket, due);
    const tasksEach = Math.ceil(MAX_TASKS / byCustomer.size);
    const isCut = [...byCustomer.values()].some((own) => own.length >= tasksEach);
    return left > 0 || isCut || !isLast || isWrapping;
  };
}

/** As many of them as a transaction takes, and of those that no other process is at. Returns how many are left. */
async function prepareNext(deps: PrepareDeps, bucket: number, due: readonly DueTask[]): Promise<number> {
  for (let left = due; left.length > 0; ) {
    const turn = new Set(takeTurns(left));
    left = left.filter((task) => !turn.has(task));
    if (await prepareApart(deps, bucket, [...turn])) return left.length;
  }
  return 0;
}

/** False when others are at all of them. A task that cannot be prepared is set aside and holds nobody back. */
async function prepareApart(deps: PrepareDeps, bucket: number, due: readonly DueTask[]): Promise<boolean> {
  let isMine = false;
  const culprits: { readonly task: DueTask; readonly error: unknown }[] = [];
  await runApart(due, {
    ownerOf: (task) => task,
    step: async (tasks) => {
      if (await prepareTogether(deps, bucket, tasks)) isMine = true;
    },
    onFailure(tasks, error) {
      if (isRetryable(error)) throw error;
      culprits.push(...tasks.map((task) => ({ task, error })));
    },
  });
  for (const { task, error } of culprits) {
    const reason = error instanceof Error ? error.message : String(error);
    deps.log.error({ err: error, task: String(task.taskId) }, 'a task could not be prepared and is set aside');
    await setPrepareAside(deps.sql, bucket, task, reason);
  }
  return isMine || culprits.length > 0;
}

async function prepareTogether(deps: PrepareDeps, bucket: number, due: readonly DueTask[]): Promise<boolean> {
  const written = await transact(deps.sql, (tx) => claimAndPlan(deps, tx, bucket, due));
  if (written === 'stale') {
    await deps.refreshSnapshot();
    return await prepareTogether(deps, bucket, due);
  }
  if (written === 'taken') return false;
  if (written.length > 0) {
    deps.wake.hint('dispatch', written);
    deps.wake.notify('dispatch', bucket);
  }
  return true;
}

/** Results in the customers of whom chunks are put up, unless others are at all of the tasks, or this process is behind. */
async function claimAndPlan(
  deps: PrepareDeps,
  tx: AnySql,
  bucket: number,
  due: readonly DueTask[],
): Promise<Transacted<readonly CustomerId[] | 'taken' | 'stale'>> {
  const [tasks, version, live] = await Promise.all([
    claimTasksToPrepare(tx, bucket, due),
    readConfigVersion(tx),
    readLiveChannels(tx),
  ]);
  if (tasks.length === 0) return { result: 'taken' };
  // Another process may have accepted a task for a template that this one has not heard of yet: it would fail for good.
  if (version > deps.snapshot().version) return { result: 'stale' };
  const planned = await planTasks(deps, tx, bucket, tasks, (channelId) => live.has(channelId));
  const locked = await lockAccounts(tx, bucket, [...new Set(tasks.map(({ task }) => task.customerId))]);
  return writePlans(tx, deps.snapshot(), locked, planned);
}

/** As many numbers as a transaction takes: the first task of every customer, then the second, and so on. */
function takeTurns(due: readonly DueTask[]): DueTask[] {
  const taken: DueTask[] = [];
  const byCustomer = [...groupBy(due, ({ customerId }) => customerId).values()];
  let numbers = 0;
  for (let round = 0; byCustomer.some((own) => round < own.length); round++) {
    for (const own of byCustomer) {
      const next = own[round];
      if (next === undefined) continue;
      numbers += next.total;
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

export function alphabetOf(snapshot: Snapshot, channelId: bigint): Alphabet {
  const channel = snapshot.channel(channelId);
  if (channel === undefined) throw new Error(`channel ${channelId} is not in the snapshot`);
  return channel.alphabet;
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
    alphabetOf: (channelId) => alphabetOf(snapshot, channelId),
    turn: Number(taskId & 0xfffffn),
  });
}
