// Tasks of all customers. Their key leads with the customer, so each customer's newest are read by key and merged: the cost
// grows with the number of customers, never with the number of tasks.

import { asCustomerId, type CustomerId, type TaskId } from '../../domain/id.js';
import type { Sql } from '../connect.js';
import type { ListSource } from '../list.js';
import { type TaskRecord, taskColumns, toTaskRecord } from '../task.js';

export interface TaskKey {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
}

export interface TaskFilters {
  readonly customerId?: CustomerId;
  readonly stage?: string;
  /** As stored: with the letter that says where it comes from. */
  readonly requestKey?: string;
  /** Inclusive and exclusive bounds of the id, which carries the time. */
  readonly fromId?: bigint;
  readonly beforeId?: bigint;
}

/** Undefined when no customer has such a task. */
export async function findTask(sql: Sql, taskId: TaskId): Promise<TaskKey | undefined> {
  const [row] = await sql<{ customer_id: bigint }[]>`
    select found.customer_id from customer
    cross join lateral (
      select customer_id from task where task.customer_id = customer.customer_id and task.task_id = ${taskId} limit 1
    ) as found limit 1`;
  return row === undefined ? undefined : { customerId: asCustomerId(row.customer_id), taskId };
}

/** Newest first. */
export function listTasks(sql: Sql, filters: TaskFilters): ListSource<TaskRecord> {
  const { stage, requestKey, fromId, beforeId } = filters;
  const customerId = filters.customerId ?? null;
  const matching = () => sql`
    task.customer_id = customer.customer_id
    ${stage === undefined ? sql`` : sql`and task.stage = ${stage}`}
    ${requestKey === undefined ? sql`` : sql`and task.request_key = ${requestKey}`}
    ${fromId === undefined ? sql`` : sql`and task.task_id >= ${fromId}`}
    ${beforeId === undefined ? sql`` : sql`and task.task_id < ${beforeId}`}`;
  return {
    keyOf: (task) => String(task.taskId),
    async rows({ after, offset, limit }) {
      const rows = await sql`
        with page as materialized (
          select newest.customer_id, newest.task_id from customer
          cross join lateral (
            select customer_id, task_id from task
            where ${matching()} ${after === undefined ? sql`` : sql`and task.task_id < ${after}`}
            order by task_id desc limit ${offset + limit}
          ) as newest
          where ${customerId}::bigint is null or customer.customer_id = ${customerId}
          order by newest.task_id desc offset ${offset} limit ${limit})
        select ${taskColumns(sql)}
        from page
        join task t on t.customer_id = page.customer_id and t.task_id = page.task_id
        left join hold h on h.customer_id = t.customer_id and h.task_id = t.task_id
        order by t.task_id desc`;
      return rows.map(toTaskRecord);
    },
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (
          select from customer
          cross join lateral (select from task where ${matching()} limit ${limit}) as counted
          where ${customerId}::bigint is null or customer.customer_id = ${customerId} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}
