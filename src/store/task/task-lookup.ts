import type { Condition } from '../condition.js';
import type { AnySql } from '../sql.js';

/**
 * One task by its id, for a lateral join, written so that the planner uses the primary key. In a new database without statistics every
 * index of the customer seems to lead to a single row, and a lookup by equality would read all tasks of the customer for each row. Only
 * the key has this order, and with an equality the planner would drop it.
 */
export function selectTask(
  sql: AnySql,
  bucket: number,
  { customerId, taskId }: { readonly customerId: Condition; readonly taskId: Condition },
): Condition {
  return sql`
    select request_key, template_id, charge_on, refund_on_failure, content, title from task
    where bucket = ${bucket} and customer_id = ${customerId} and task_id >= ${taskId} and task_id <= ${taskId}
    order by task_id limit 1`;
}
