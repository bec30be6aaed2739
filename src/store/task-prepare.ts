// What preparing needs to read of tasks and opt-outs.

import type { CustomerId, TaskId } from '../domain/id.js';
import { numericArray } from './array-literal.js';
import type { AnySql } from './connect.js';
import { type TaskRecord, taskColumns, toTaskRecord } from './task.js';

export interface QueuedTask {
  readonly record: TaskRecord;
  readonly payload: string;
}

/** The tasks among these that are still to be prepared, in the order of their acceptance. */
export async function readQueuedTasks(
  sql: AnySql,
  customerId: CustomerId,
  taskIds: readonly TaskId[],
): Promise<QueuedTask[]> {
  const rows = await sql`
    select ${taskColumns(sql)}, t.payload
    from task t left join hold h on h.customer_id = t.customer_id and h.task_id = t.task_id
    where t.customer_id = ${customerId} and t.task_id = any(${numericArray(taskIds)}::bigint[]) and t.stage = 'queued'
    order by t.task_id`;
  return rows.map((row) => ({ record: toTaskRecord(row), payload: row.payload }));
}

/** Which of these tasks are still to be prepared. */
export async function readStillQueued(
  sql: AnySql,
  customerId: CustomerId,
  taskIds: readonly TaskId[],
): Promise<ReadonlySet<TaskId>> {
  const rows = await sql<{ taskId: TaskId }[]>`
    select task_id as "taskId" from task
    where customer_id = ${customerId} and task_id = any(${numericArray(taskIds)}::bigint[]) and stage = 'queued'`;
  return new Set(rows.map((row) => row.taskId));
}

/** Which of these numbers want nothing more from this customer. */
export async function readOptedOut(
  sql: AnySql,
  customerId: CustomerId,
  phoneKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ phoneKey: string }[]>`
    select phone_key::text as "phoneKey" from opt_out
    where customer_id = ${customerId} and phone_key = any(${numericArray(phoneKeys)}::bigint[])`;
  return new Set(rows.map((row) => row.phoneKey));
}
