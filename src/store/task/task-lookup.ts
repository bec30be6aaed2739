import type { AnySql } from '../connect.js';
import type { Condition } from '../lists/condition.js';

/**
 * One task by its id, for a lateral join: each is found through the key, whatever the planner believes. Before the first
 * statistics of a new database every index of the customer seems to lead to a single row, and a look-up of an equal id read
 * all tasks of the customer for each row. Only the key has this order, which would be none if the id were said to be equal.
 */
export function selectTask(
  sql: AnySql,
  bucket: number,
  { customerId, taskId }: { readonly customerId: Condition; readonly taskId: Condition },
): Condition {
  return sql`
    select request_key, template_id, charge_on, refund_on_failure, content from task
    where bucket = ${bucket} and customer_id = ${customerId} and task_id >= ${taskId} and task_id <= ${taskId}
    order by task_id limit 1`;
}
