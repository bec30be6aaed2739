import type { TaskKey } from '../../domain/task/task.js';
import type { AnySql } from '../sql.js';
import { TASK_KEYS } from './keys.js';

/**
 * A condition that excludes the rows of these tasks. In the statement and not after it, because excluded rows would otherwise use up the
 * limit.
 */
export function exceptTasks(sql: AnySql, table: string, keys: readonly TaskKey[]) {
  if (keys.length === 0) return sql`true`;
  return sql`not exists (
    select 1
    from ${TASK_KEYS.unnest(sql, keys)}
    where k.customer_id = ${sql(table)}.customer_id and k.task_id = ${sql(table)}.task_id
  )`;
}
