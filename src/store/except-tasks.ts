import type { TaskKey } from '../domain/task/task.js';
import { numericArray } from './array-literal.js';
import type { AnySql } from './connect.js';

/**
 * A condition on the rows of a tenant table: they are of none of these tasks. In the statement and not behind it, because a
 * limit would otherwise be used up by rows that nobody wants.
 */
export function exceptTasks(sql: AnySql, table: string, keys: readonly TaskKey[]) {
  if (keys.length === 0) return sql`true`;
  return sql`not exists (
    select 1
    from unnest(${numericArray(keys.map((k) => k.customerId))}::bigint[], ${numericArray(keys.map((k) => k.taskId))}::bigint[]) as x (customer_id, task_id)
    where x.customer_id = ${sql(table)}.customer_id and x.task_id = ${sql(table)}.task_id
  )`;
}
