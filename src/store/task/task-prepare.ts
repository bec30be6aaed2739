// The tasks that wait to be prepared, and the rows that preparing reads with them.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import { MAX_CHUNK_NUMBERS, type TaskSize } from '../../domain/plan/plan.js';
import type { Task, TaskKey } from '../../domain/task/task.js';
import { TASK_KEYS } from '../rows/keys.js';
import type { AnySql, Statement } from '../sql.js';
import { taskColumns, toTask } from './task.js';

/**
 * Due tasks of a size (see `taskSizeOf`), word for word the condition of the size's partial index: with a parameter in it,
 * the planner could not use the index.
 */
export function isToPrepare(sql: AnySql, size: TaskSize) {
  const isOfSize = `total ${size === 'small' ? '<=' : '>'} ${MAX_CHUNK_NUMBERS}`;
  return sql`queued_for = 'prepare' and prepare_after is null and ${sql.unsafe(isOfSize)}`;
}

/** A task that waits to be prepared, without its numbers. */
export interface DueTask extends TaskKey {
  readonly templateId: bigint;
  readonly total: number;
}

/**
 * Tasks to prepare of the next customers after this one, by walking the index from customer to customer: the backlog's size
 * does not matter. Each of them gets the same share of `tasks`, its oldest.
 */
export async function readTasksToPrepare(
  sql: AnySql,
  bucket: number,
  size: TaskSize,
  after: bigint,
  { customers, tasks }: { readonly customers: number; readonly tasks: number },
): Promise<DueTask[]> {
  const due = sql`from task where bucket = ${bucket} and ${isToPrepare(sql, size)}`;
  return await sql<DueTask[]>`
    with recursive walk (customer_id, hops) as (
      (select customer_id, 1 ${due} and customer_id > ${after} order by customer_id limit 1)
      union all
      select (select customer_id ${due} and customer_id > walk.customer_id order by customer_id limit 1), hops + 1
      from walk where walk.customer_id is not null and hops < ${customers}
    )
    select w.customer_id as "customerId", t.task_id as "taskId", t.template_id as "templateId", t.total
    from walk w
    cross join lateral (
      select task_id, template_id, total ${due} and customer_id = w.customer_id
      order by task_id limit (select ceil(${tasks}::numeric / count(customer_id)) from walk)
    ) as t
    where w.customer_id is not null
    order by w.customer_id, t.task_id`;
}

export interface QueuedTask {
  readonly task: Task;
  readonly payload: string;
}

/**
 * Locks these tasks until the commit and returns them with their payloads, each once, without those that another process has locked. Tasks
 * of locked customers may be listed twice, and a transaction is not kept out by its own lock.
 */
export async function claimTasksToPrepare(tx: AnySql, bucket: number, keys: readonly TaskKey[]): Promise<QueuedTask[]> {
  const distinct = new Map(keys.map((key) => [taskKeyOf(key), key]));
  const rows = await tx`
    select ${taskColumns(tx)}, t.payload
    from ${TASK_KEYS.unnest(tx, [...distinct.values()])}
    cross join lateral (
      select * from task
      where bucket = ${bucket} and customer_id = k.customer_id and task_id = k.task_id and queued_for = 'prepare'
      limit 1
      for update skip locked
    ) as t`;
  return rows.map((row) => ({ task: toTask(row), payload: row.payload }));
}

/** A task that cannot be prepared is quarantined, with the reason, and retried with backoff: see `retryPrepare`. */
export function quarantinePrepare(
  sql: AnySql,
  bucket: number,
  { customerId, taskId }: TaskKey,
  reason: string,
): Statement {
  // A cluster reads the clock once, on the coordinator, and adds nothing that depends on the time zone to what a row holds.
  return sql`
    update task set prepare_tries = prepare_tries + 1, prepare_error = ${reason},
      prepare_after = to_timestamp(extract(epoch from now()) + least(3600, 2 ^ least(prepare_tries, 12)))
    where bucket = ${bucket} and customer_id = ${customerId} and task_id = ${taskId} and queued_for = 'prepare'`;
}

/** Makes quarantined tasks due whose backoff has passed. */
export function retryPrepare(sql: AnySql, bucket: number): Statement {
  return sql`
    update task set prepare_after = null where bucket = ${bucket} and queued_for = 'prepare' and prepare_after <= now()`;
}
