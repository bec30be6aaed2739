// After a top-up, with a higher limit, and when a day begins, tasks that wait for it are tried again, oldest first, without
// anybody asking.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import { type FreezeLimits, hasMoreRoom } from '../../domain/money/freeze.js';
import type { TaskKey } from '../../domain/task/task.js';
import { refreezeTask } from '../../domain/task/task-steps.js';
import type { Sql } from '../../store/connect.js';
import { lockAccounts } from '../../store/money/account.js';
import { beginDays, endRefreeze, readDaysToBegin, readRefreezeWanted } from '../../store/refreeze.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { readTasks, readWaitingForMoney } from '../../store/task/task.js';
import type { RoundQuarantine } from '../quarantine/round-quarantine.js';
import type { Wake } from '../wake.js';
import { writeTasks } from '../write-tasks.js';

export interface RefreezeDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly wake: Wake;
  readonly roundQuarantine: RoundQuarantine;
}

const CUSTOMERS_A_ROUND = 64;
/** Of all customers together: they are kept from their accounts meanwhile, and so is everybody else. */
const TASKS_A_PAGE = 500;

/** A round serves all who want it, page by page: however many are passed over, they are in nobody's way. */
export function createRefreezeRound(deps: RefreezeDeps): (bucket: number) => Promise<boolean> {
  const { sql, roundQuarantine } = deps;
  /** Customers with a task that is set aside, and what they had when the others of theirs were tried. */
  const tried = new Map<CustomerId, FreezeLimits>();

  return async (bucket) => {
    const passed = roundQuarantine.waitingCustomers('freeze', bucket);
    const days = (await readDaysToBegin(sql, bucket)).filter((id) => !passed.has(id));
    await roundQuarantine.run('freeze', bucket, days.map(ownerOf), (due) => beginDays(sql, bucket, idsOf(due)));
    for (let after: CustomerId | 0n | undefined = 0n; after !== undefined; ) {
      const means: Map<CustomerId, FreezeLimits> = await readRefreezeWanted(sql, bucket, after, CUSTOMERS_A_ROUND);
      const stuck = new Set(idsOf(roundQuarantine.waitingTasks('freeze', bucket)));
      const customerIds = [...means].flatMap(([id, now]) => {
        const isInVain = stuck.has(id) && !hasMoreRoom(tried.get(id) ?? now, now);
        // One that was made a moment ago may not be known here yet.
        return passed.has(id) || isInVain || deps.snapshot().customer(id) === undefined ? [] : [id];
      });
      after = means.size === CUSTOMERS_A_ROUND ? [...means.keys()].at(-1) : undefined;
      if (customerIds.length === 0) continue;
      const unfinished = await refreezeCustomers(deps, bucket, customerIds, means);
      for (const id of customerIds) tried.delete(id);
      for (const id of unfinished) {
        const left = means.get(id);
        if (left !== undefined) tried.set(id, left);
      }
    }
    return false;
  };
}

/**
 * Page by page, a transaction each. `means` is what each customer had when it was last looked at: as long as there is no
 * more than that, none of the tasks that were tried fits, and the wish is granted. Returns those with tasks set aside.
 */
async function refreezeCustomers(
  deps: RefreezeDeps,
  bucket: number,
  customerIds: readonly CustomerId[],
  means: Map<CustomerId, FreezeLimits>,
): Promise<CustomerId[]> {
  const { sql, roundQuarantine, wake } = deps;
  const turn: Turn = { bucket, means, richer: new Set(), snapshot: deps.snapshot };
  const behind = new Map<CustomerId, bigint>(customerIds.map((customerId) => [customerId, 0n]));
  while (behind.size > 0) {
    const each = Math.ceil(TASKS_A_PAGE / behind.size);
    const waiting = await readWaitingForMoney(sql, bucket, behind, each);
    const passed = new Set(roundQuarantine.waitingTasks('freeze', bucket).map(taskKeyOf));
    const due = waiting.filter((key) => !passed.has(taskKeyOf(key)));
    await roundQuarantine.run('freeze', bucket, due, (keys) => freezeTogether(sql, turn, keys));
    if (due.length > 0) wake.notify('dispatch', bucket);
    const pages = groupBy(waiting, ({ customerId }) => customerId);
    for (const customerId of behind.keys()) {
      const page = pages.get(customerId) ?? [];
      const last = page.length === each ? page.at(-1) : undefined;
      if (last === undefined) behind.delete(customerId);
      else behind.set(customerId, last.taskId);
    }
  }
  const unfinished = new Set(idsOf(roundQuarantine.waitingTasks('freeze', bucket)));
  const done = customerIds.filter((id) => !unfinished.has(id) && !turn.richer.has(id));
  await roundQuarantine.run('freeze', bucket, done.map(ownerOf), (owners) =>
    grantWishes(sql, bucket, idsOf(owners), means),
  );
  return customerIds.filter((id) => unfinished.has(id));
}

interface Turn {
  readonly bucket: number;
  readonly means: Map<CustomerId, FreezeLimits>;
  /** Something came in between two pages: those before it are to be tried again. */
  readonly richer: Set<CustomerId>;
  readonly snapshot: () => Snapshot;
}

/** Tries these tasks, oldest first. */
async function freezeTogether(sql: Sql, turn: Turn, keys: readonly TaskKey[]): Promise<void> {
  const { bucket, means } = turn;
  const locked = await sql.begin(async (tx) => {
    const [held, read] = await Promise.all([
      lockAccounts(tx, bucket, [...new Set(idsOf(keys))]),
      readTasks(tx, bucket, keys),
    ]);
    for (const [id, account] of held.accounts) if (hasMoreRoom(means.get(id) ?? account, account)) turn.richer.add(id);
    const tasks = read.sort((one, other) => (one.taskId < other.taskId ? -1 : 1));
    const tried = tasks.flatMap((task) => {
      const rules = turn.snapshot().customer(task.customerId);
      const account = held.accounts.get(task.customerId);
      const next = rules && account && refreezeTask(task, account, rules, held.now);
      return next === undefined ? [] : [next];
    });
    await writeTasks(tx, held, tried, turn.snapshot());
    return held;
  });
  for (const [customerId, account] of locked.accounts) means.set(customerId, account);
}

/** Money that came in since they were last looked at has set the wish anew, and keeps it. */
async function grantWishes(
  sql: Sql,
  bucket: number,
  customerIds: readonly CustomerId[],
  means: ReadonlyMap<CustomerId, FreezeLimits>,
): Promise<void> {
  await sql.begin(async (tx) => {
    const { accounts } = await lockAccounts(tx, bucket, customerIds);
    const granted = [...accounts].filter(([id, account]) => !hasMoreRoom(means.get(id) ?? account, account));
    await endRefreeze(
      tx,
      bucket,
      granted.map(([id]) => id),
    );
  });
}

function ownerOf(customerId: CustomerId): { readonly customerId: CustomerId } {
  return { customerId };
}

function idsOf(owners: readonly { readonly customerId: CustomerId }[]): CustomerId[] {
  return owners.map(({ customerId }) => customerId);
}
