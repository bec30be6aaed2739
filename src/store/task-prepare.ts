// The tasks that wait to be prepared, and what preparing needs to know beside them.

import type { CustomerId, TaskId } from '../domain/id.js';
import { type Lane, MAX_CHUNK_NUMBERS } from '../domain/plan.js';
import type { Task } from '../domain/task.js';
import { numericArray } from './array-literal.js';
import type { AnySql, Statement } from './connect.js';
import { taskColumns, toTask } from './task.js';

/** See `laneOf`. */
function isInLane(sql: AnySql, lane: Lane) {
  return lane === 'small' ? sql`total <= ${MAX_CHUNK_NUMBERS}` : sql`total > ${MAX_CHUNK_NUMBERS}`;
}

/** Customers with tasks to prepare, by walking the index from customer to customer: the backlog's size does not matter. */
export async function readCustomersToPrepare(
  sql: AnySql,
  bucket: number,
  lane: Lane,
  after: bigint,
  limit: number,
): Promise<CustomerId[]> {
  const due = sql`from task where bucket = ${bucket} and queued_for = 'prepare' and ${isInLane(sql, lane)}
    and (prepare_after is null or prepare_after <= now())`;
  const rows = await sql<{ customerId: CustomerId }[]>`
    with recursive walk (customer_id, hops) as (
      (select customer_id, 1 ${due} and customer_id > ${after} order by customer_id limit 1)
      union all
      select (select customer_id ${due} and customer_id > walk.customer_id order by customer_id limit 1), hops + 1
      from walk where walk.customer_id is not null and hops < ${limit}
    )
    select customer_id as "customerId" from walk where customer_id is not null`;
  return rows.map((row) => row.customerId);
}

export interface QueuedTask {
  readonly task: Task;
  readonly payload: string;
}

/**
 * The oldest tasks to prepare of each of these customers, at most so many of each, for the length of the transaction; another
 * process passes over them.
 */
export async function claimTasksToPrepare(
  tx: AnySql,
  bucket: number,
  lane: Lane,
  customerIds: readonly CustomerId[],
  perCustomer: number,
): Promise<QueuedTask[]> {
  // The rows are locked where they are found: joined with their keys, a young table's statistics can make it a look at
  // every waiting task for every waiting task.
  const rows = await tx`
    select ${taskColumns(tx)}, t.payload
    from unnest(${numericArray(customerIds)}::bigint[]) as k (customer_id)
    cross join lateral (
      select * from task
      where bucket = ${bucket} and customer_id = k.customer_id and queued_for = 'prepare'
        and ${isInLane(tx, lane)} and (prepare_after is null or prepare_after <= now())
      order by task_id limit ${perCustomer}
      for update skip locked
    ) as t`;
  return rows.map((row) => ({ task: toTask(row), payload: row.payload }));
}

/** A task that cannot be prepared is set aside, with the reason, and tried again after a pause that grows. */
export function setPrepareAside(
  sql: AnySql,
  bucket: number,
  { customerId, taskId }: { readonly customerId: CustomerId; readonly taskId: TaskId },
  reason: string,
): Statement {
  return sql`
    update task set prepare_tries = prepare_tries + 1, prepare_error = ${reason},
      prepare_after = now() + least(3600, 2 ^ least(prepare_tries, 12)) * interval '1 second'
    where bucket = ${bucket} and customer_id = ${customerId} and task_id = ${taskId} and queued_for = 'prepare'`;
}

/** Which numbers want nothing more from which of these customers, as `customer/number`. */
export async function readOptedOut(
  sql: AnySql,
  bucket: number,
  numbers: readonly { readonly customerId: CustomerId; readonly phoneKey: string }[],
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ key: string }[]>`
    select o.customer_id::text || '/' || o.phone_key::text as key
    from unnest(${numericArray(numbers.map((n) => n.customerId))}::bigint[], ${numericArray(numbers.map((n) => n.phoneKey))}::bigint[]) as n (customer_id, phone_key)
    join opt_out o on o.bucket = ${bucket} and o.customer_id = n.customer_id and o.phone_key = n.phone_key`;
  return new Set(rows.map((row) => row.key));
}
