// Tasks of all customers. Their key leads with the customer, so each customer's newest are read by key and merged: the cost
// grows with the number of customers, never with the number of tasks.

import { asCustomerId, type CustomerId, type TaskId } from '../../domain/id.js';
import type { Task, TaskKey } from '../../domain/task/task.js';
import type { Tenant } from '../../domain/tenant.js';
import type { Condition } from '../condition.js';
import type { ListSource } from '../list.js';
import { listOverBuckets } from '../lists/over-buckets.js';
import { ofTemplates, selectTasks, type TaskFilters, titleBeginsWith } from '../lists/tasks.js';
import type { Sql } from '../sql.js';
import { taskColumns, toTask } from '../task/task.js';

interface OperatorFilters extends Pick<TaskFilters, 'stage' | 'requestKey' | 'templateIds' | 'titleStart'> {
  readonly customerId?: CustomerId;
  /** Inclusive and exclusive bounds of the id, which carries the time. */
  readonly fromId?: bigint;
  readonly beforeId?: bigint;
}

/** Undefined when no customer of these buckets has such a task. */
export async function findTask(
  sql: Sql,
  buckets: readonly number[],
  taskId: TaskId,
): Promise<(Tenant & TaskKey) | undefined> {
  for (const bucket of buckets) {
    const [row] = await sql<{ customer_id: bigint }[]>`
      select found.customer_id from customer
      cross join lateral (
        select customer_id from task
        where task.bucket = ${bucket} and task.customer_id = customer.customer_id and task.task_id = ${taskId} limit 1
      ) as found where customer.bucket = ${bucket} limit 1`;
    if (row !== undefined) return { bucket, customerId: asCustomerId(row.customer_id), taskId };
  }
  return undefined;
}

/** Newest first. */
export function listTasks(sql: Sql, buckets: readonly number[], filters: OperatorFilters): ListSource<Task> {
  return listOverBuckets(
    buckets,
    (bucket) => listTasksOfBucket(sql, bucket, filters),
    (one, other) => (one.taskId > other.taskId ? -1 : 1),
  );
}

function listTasksOfBucket(sql: Sql, bucket: number, filters: OperatorFilters): ListSource<Task> {
  const customerId = filters.customerId ?? null;
  const ofCustomer = (seen: Condition, limit: number) =>
    sql`(${tasksOfCustomer(sql, bucket, filters, seen)} order by task_id desc limit ${limit})`;
  return {
    keyOf: (task) => String(task.taskId),
    async rows({ after, offset, limit }) {
      const seen = after === undefined ? sql`` : sql`and task_id < ${after}`;
      const rows = await sql`
        with page as materialized (
          select customer.customer_id, newest.task_id from customer
          cross join lateral ${ofCustomer(seen, offset + limit)} as newest
          where customer.bucket = ${bucket} and (${customerId}::bigint is null or customer.customer_id = ${customerId})
          order by newest.task_id desc offset ${offset} limit ${limit})
        select ${taskColumns(sql)}
        from page
        join task t on t.bucket = ${bucket} and t.customer_id = page.customer_id and t.task_id = page.task_id
        order by t.task_id desc`;
      return rows.map(toTask);
    },
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (
          select 1 from customer
          cross join lateral ${ofCustomer(sql``, limit)} as counted
          where customer.bucket = ${bucket} and (${customerId}::bigint is null or customer.customer_id = ${customerId})
          limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}

/** The task ids of the customer in the outer row. */
function tasksOfCustomer(sql: Sql, bucket: number, filters: OperatorFilters, seen: Condition): Condition {
  const { stage, requestKey, titleStart, fromId, beforeId } = filters;
  return selectTasks(sql, {
    own: sql`bucket = ${bucket} and customer_id = customer.customer_id`,
    stage,
    others: [
      requestKey === undefined ? undefined : sql`request_key = ${requestKey}`,
      ofTemplates(sql, filters),
      titleStart === undefined ? undefined : titleBeginsWith(sql, titleStart),
    ],
    bounds: [
      fromId === undefined ? undefined : sql`task_id >= ${fromId}`,
      beforeId === undefined ? undefined : sql`task_id < ${beforeId}`,
    ],
    seen,
  });
}
