// Retries the freeze of waiting tasks, oldest first, after a top-up, a higher limit or the start of a day.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import { type FreezeLimits, hasMoreRoom } from '../../domain/money/freeze.js';
import type { TaskKey } from '../../domain/task/task.js';
import { refreezeTask } from '../../domain/task/task-steps.js';
import { bucketSql } from '../../store/cluster/distribution.js';
import { lockAccountsOrSkip } from '../../store/money/account.js';
import {
  beginDays,
  endRefreeze,
  type LimitsAtEntry,
  readDaysToBegin,
  readPaidSince,
  readRefreezeWanted,
} from '../../store/money/refreeze.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { Sql } from '../../store/sql.js';
import { readTasks, readWaitingForMoney } from '../../store/task/task.js';
import type { Quarantine } from '../quarantine/quarantine.js';
import { writeTasks } from '../task-moves/write-tasks.js';
import type { Wake } from '../wake.js';

export interface RefreezeDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly wake: Wake;
  readonly quarantine: Quarantine;
}

const CUSTOMERS_A_ROUND = 64;
/** Over all customers: bounds how long a transaction locks their accounts. */
const TASKS_A_PAGE = 500;

/** A round serves all customers with a request, page by page; skipped customers do not block others. */
export function createRefreezeRound(deps: RefreezeDeps): (bucket: number) => Promise<boolean> {
  const { quarantine } = deps;
  /** Customers with a quarantined task, and their limits when their other tasks were tried. */
  const tried = new Map<CustomerId, FreezeLimits>();

  return async (bucket) => {
    const sql = bucketSql(deps.sql, bucket);
    const skipped = quarantine.waitingCustomers('freeze', bucket);
    const days = (await readDaysToBegin(sql, bucket)).filter((id) => !skipped.has(id));
    await quarantine.run('freeze', bucket, days.map(ownerOf), (due, mayWait) =>
      beginDays(sql, bucket, idsOf(due), mayWait),
    );
    for (let after: CustomerId | 0n | undefined = 0n; after !== undefined; ) {
      const limits: Map<CustomerId, LimitsAtEntry> = await readRefreezeWanted(sql, bucket, after, CUSTOMERS_A_ROUND);
      const stuck = new Set(idsOf(quarantine.waitingTasks('freeze', bucket)));
      const customerIds = [...limits].flatMap(([id, now]) => {
        const isUseless = stuck.has(id) && !hasMoreRoom(tried.get(id) ?? now, now);
        // A new customer may not be in the snapshot yet.
        return skipped.has(id) || isUseless || deps.snapshot().customer(id) === undefined ? [] : [id];
      });
      after = limits.size === CUSTOMERS_A_ROUND ? [...limits.keys()].at(-1) : undefined;
      if (customerIds.length === 0) continue;
      const unfinished = await refreezeCustomers({ ...deps, sql }, bucket, customerIds, limits);
      for (const id of customerIds) tried.delete(id);
      for (const id of unfinished) {
        const left = limits.get(id);
        if (left !== undefined) tried.set(id, left);
      }
    }
    return false;
  };
}

/**
 * One transaction per page. `limits` are those of each customer at its last transaction: while they have not grown, no task that was
 * tried can be frozen, and the request is done. Returns the customers with quarantined tasks.
 */
async function refreezeCustomers(
  deps: RefreezeDeps,
  bucket: number,
  customerIds: readonly CustomerId[],
  limits: Map<CustomerId, LimitsAtEntry>,
): Promise<CustomerId[]> {
  const { sql, quarantine, wake } = deps;
  const round: Round = { bucket, limits, raised: new Set(), snapshot: deps.snapshot };
  const after = new Map<CustomerId, bigint>(customerIds.map((customerId) => [customerId, 0n]));
  while (after.size > 0) {
    const each = Math.ceil(TASKS_A_PAGE / after.size);
    const waiting = await readWaitingForMoney(sql, bucket, after, each);
    const skipped = new Set(quarantine.waitingTasks('freeze', bucket).map(taskKeyOf));
    const due = waiting.filter((key) => !skipped.has(taskKeyOf(key)));
    await quarantine.run('freeze', bucket, due, (keys, mayWait) => freezeTogether(sql, round, keys, mayWait));
    if (due.length > 0) wake.notify('dispatch', bucket);
    const pages = groupBy(waiting, ({ customerId }) => customerId);
    for (const customerId of after.keys()) {
      const page = pages.get(customerId) ?? [];
      const last = page.length === each ? page.at(-1) : undefined;
      if (last === undefined) after.delete(customerId);
      else after.set(customerId, last.taskId);
    }
  }
  const unfinished = new Set(idsOf(quarantine.waitingTasks('freeze', bucket)));
  const done = customerIds.filter((id) => !unfinished.has(id) && !round.raised.has(id));
  await quarantine.run('freeze', bucket, done.map(ownerOf), (owners, mayWait) =>
    endRequests(sql, bucket, idsOf(owners), limits, mayWait),
  );
  return customerIds.filter((id) => unfinished.has(id));
}

interface Round {
  readonly bucket: number;
  readonly limits: Map<CustomerId, LimitsAtEntry>;
  /** Customers whose limits grew between two pages: earlier tasks must be tried again. */
  readonly raised: Set<CustomerId>;
  readonly snapshot: () => Snapshot;
}

/** Tries these tasks, oldest first. Returns the customers that are left out, because their account is locked. */
async function freezeTogether(
  sql: Sql,
  round: Round,
  keys: readonly TaskKey[],
  mayWait: boolean,
): Promise<ReadonlySet<CustomerId>> {
  const { bucket, limits } = round;
  const { accounts, leftOut } = await sql.begin(async (tx) => {
    const [{ locked: held, leftOut }, read] = await Promise.all([
      lockAccountsOrSkip(tx, bucket, [...new Set(idsOf(keys))], mayWait),
      readTasks(tx, bucket, keys),
    ]);
    for (const [id, account] of held.accounts)
      if (hasMoreRoom(limits.get(id) ?? account, account)) round.raised.add(id);
    const tasks = read.sort((one, other) => (one.taskId < other.taskId ? -1 : 1));
    const tried = tasks.flatMap((task) => {
      const rules = round.snapshot().customer(task.customerId);
      const account = held.accounts.get(task.customerId);
      const next = rules && account && refreezeTask(task, account, rules, held.now);
      return next === undefined ? [] : [next];
    });
    await writeTasks(tx, held, tried, round.snapshot());
    return { accounts: held.accounts, leftOut };
  });
  for (const [customerId, account] of accounts) limits.set(customerId, account);
  return leftOut;
}

/**
 * A request stays if the limits grew, or money came in, since the last transaction: a task that began to wait in between was not tried
 * with it, although the balance may have been higher before. Returns the customers that are left out.
 */
async function endRequests(
  sql: Sql,
  bucket: number,
  customerIds: readonly CustomerId[],
  limits: ReadonlyMap<CustomerId, LimitsAtEntry>,
  mayWait: boolean,
): Promise<ReadonlySet<CustomerId>> {
  return await sql.begin(async (tx) => {
    const { locked, leftOut } = await lockAccountsOrSkip(tx, bucket, customerIds, mayWait);
    const changed = [...locked.accounts].flatMap(([id, { entrySeq }]): [CustomerId, bigint][] => {
      const last = limits.get(id)?.entrySeq ?? entrySeq;
      return last === entrySeq ? [] : [[id, last]];
    });
    const paid = changed.length === 0 ? new Set() : await readPaidSince(tx, bucket, new Map(changed));
    const done = [...locked.accounts].filter(([id, account]) => {
      const before = limits.get(id) ?? account;
      return !paid.has(id) && !hasMoreRoom(before, account);
    });
    await endRefreeze(
      tx,
      bucket,
      done.map(([id]) => id),
    );
    return leftOut;
  });
}

interface CustomerKey {
  readonly customerId: CustomerId;
}

function ownerOf(customerId: CustomerId): CustomerKey {
  return { customerId };
}

function idsOf(owners: readonly CustomerKey[]): CustomerId[] {
  return owners.map(({ customerId }) => customerId);
}
