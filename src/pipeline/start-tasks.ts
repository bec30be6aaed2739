// Tasks whose time to be handed over has come are put up for dispatch.

import type { CustomerId } from '../domain/id.js';
import { isDueToStart } from '../domain/task/schedule.js';
import type { TaskKey } from '../domain/task/task.js';
import { startTask } from '../domain/task/task-steps.js';
import type { AnySql, Sql } from '../store/connect.js';
import { lockAccounts } from '../store/money/account.js';
import { readDueToStart, readTasks } from '../store/task/task.js';
import type { RoundQuarantine } from './quarantine/round-quarantine.js';
import type { Wake } from './wake.js';
import { writeTasks } from './write-tasks.js';

const TASKS_A_ROUND = 200;

/** True when there may be more. Costs a look at an index while none is due. */
export async function startDueTasks(
  { sql, wake, roundQuarantine }: { readonly sql: Sql; readonly wake: Wake; readonly roundQuarantine: RoundQuarantine },
  bucket: number,
): Promise<boolean> {
  const due = await readDueToStart(sql, bucket, TASKS_A_ROUND, roundQuarantine.waitingTasks('start', bucket));
  if (due.length === 0) return false;
  await roundQuarantine.run('start', bucket, due, (keys) => sql.begin((tx) => startIfDue(tx, bucket, keys)));
  wake.hint('dispatch', idsOf(due));
  wake.notify('dispatch', bucket);
  return due.length === TASKS_A_ROUND;
}

async function startIfDue(tx: AnySql, bucket: number, keys: readonly TaskKey[]): Promise<void> {
  const [locked, tasks] = await Promise.all([lockAccounts(tx, bucket, idsOf(keys)), readTasks(tx, bucket, keys)]);
  // Somebody may have put it up, off or an end to it since.
  const due = tasks.filter((task) => isDueToStart(task, locked.now));
  await writeTasks(
    tx,
    locked,
    due.map((task) => startTask(task, locked.now)),
  );
}

function idsOf(keys: readonly TaskKey[]): CustomerId[] {
  return [...new Set(keys.map(({ customerId }) => customerId))];
}
