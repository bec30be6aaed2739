// Queues the chunks of scheduled tasks when their time has come.

import type { CustomerId } from '../../domain/id.js';
import { queueKeysOf } from '../../domain/rules/queue-place.js';
import { isDueToStart } from '../../domain/task/schedule.js';
import type { TaskKey } from '../../domain/task/task.js';
import { startTask } from '../../domain/task/task-steps.js';
import { lockAccountsOrSkip } from '../../store/money/account.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { AnySql, Sql } from '../../store/sql.js';
import { readDueToStart, readTasks } from '../../store/task/task.js';
import type { Quarantine } from '../quarantine/quarantine.js';
import type { Wake } from '../wake.js';
import { writeTasks } from './write-tasks.js';

export interface StartDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly wake: Wake;
  readonly quarantine: Quarantine;
}

const TASKS_A_ROUND = 200;

/** Returns true if there may be more. Costs one index lookup while none is due. */
export async function startDueTasks({ sql, snapshot, wake, quarantine }: StartDeps, bucket: number): Promise<boolean> {
  const due = await readDueToStart(sql, bucket, TASKS_A_ROUND, quarantine.waitingTasks('start', bucket));
  if (due.length === 0) return false;
  let hasStarted = false;
  await quarantine.run('start', bucket, due, async (keys, mayWait) => {
    const { leftOut, started } = await sql.begin((tx) => startIfDue(tx, bucket, keys, mayWait, snapshot()));
    if (started > 0) hasStarted = true;
    return leftOut;
  });
  wake.hintQueues(idsOf(due).flatMap(queueKeysOf));
  wake.notify('dispatch', bucket);
  // Where a jump of the database's clock is not believed, tasks are due for the statement alone: the next round comes later.
  return hasStarted && due.length === TASKS_A_ROUND;
}

/** `leftOut` are the customers whose tasks are left, because their account is locked. */
async function startIfDue(
  tx: AnySql,
  bucket: number,
  keys: readonly TaskKey[],
  mayWait: boolean,
  snapshot: Snapshot,
): Promise<{ readonly leftOut: ReadonlySet<CustomerId>; readonly started: number }> {
  const [{ locked, leftOut }, tasks] = await Promise.all([
    lockAccountsOrSkip(tx, bucket, idsOf(keys), mayWait),
    readTasks(tx, bucket, keys),
  ]);
  // Another transaction may have started, rescheduled or ended a task before the lock.
  const due = tasks.filter((task) => !leftOut.has(task.customerId) && isDueToStart(task, locked.now));
  await writeTasks(
    tx,
    locked,
    due.map((task) => startTask(task, locked.now)),
    snapshot,
  );
  return { leftOut, started: due.length };
}

function idsOf(keys: readonly TaskKey[]): CustomerId[] {
  return [...new Set(keys.map(({ customerId }) => customerId))];
}
