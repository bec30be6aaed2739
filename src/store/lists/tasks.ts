import type { Sql } from '../connect.js';
import type { ListSource } from '../list.js';
import { type TaskRecord, taskColumns, toTaskRecord } from '../task.js';
import { allOf, countUpTo, idRange, type ListScope } from './condition.js';

export interface TaskFilters {
  readonly requestKey?: string | undefined;
  readonly stage?: string | undefined;
  readonly templateId?: bigint | undefined;
}

/** Every filter has an index that ends in the task id, save the request key, which is unique. */
export function listTasks(sql: Sql, scope: ListScope, filters: TaskFilters): ListSource<TaskRecord> {
  const { customerId } = scope;
  const range = idRange(scope);
  const filtered = allOf(sql, sql`customer_id = ${customerId}`, [
    filters.requestKey === undefined ? undefined : sql`request_key = ${filters.requestKey}`,
    filters.stage === undefined ? undefined : sql`stage = ${filters.stage}`,
    filters.templateId === undefined ? undefined : sql`template_id = ${filters.templateId}`,
    range.from === undefined ? undefined : sql`task_id >= ${range.from}`,
    range.until === undefined ? undefined : sql`task_id < ${range.until}`,
  ]);
  const matching = sql`from task where ${filtered}`;
  return {
    keyOf: (task) => String(task.taskId),
    count: (limit) => countUpTo(sql, matching, limit),
    rows: async ({ after, offset, limit }) => {
      // Skipping happens on ids alone; only the rows of the page are read whole, with their money.
      const rows = await sql`
        with page as materialized (
          select task_id ${matching} ${after === undefined ? sql`` : sql`and task_id < ${after}`}
          order by task_id desc limit ${limit} offset ${offset})
        select ${taskColumns(sql)}
        from page
        join task t on t.customer_id = ${customerId} and t.task_id = page.task_id
        left join hold h on h.customer_id = t.customer_id and h.task_id = t.task_id
        order by t.task_id desc`;
      return rows.map(toTaskRecord);
    },
  };
}
