import type { CustomerId, TaskId } from '../domain/id.js';
import type { Sql } from './connect.js';

export interface Verification {
  /** When the first of the task's unknown parts became unknown. */
  readonly since: Date;
  /** When the first of them counts as not accepted. */
  readonly deadline: Date;
}

/** Undefined when nothing of the task is unknown. */
export async function readVerification(
  sql: Sql,
  customerId: CustomerId,
  taskId: TaskId,
): Promise<Verification | undefined> {
  const [row] = await sql<{ since: Date | null; deadline: Date | null }[]>`
    select min(since) as since, min(deadline) as deadline
    from unknown_part where customer_id = ${customerId} and task_id = ${taskId}`;
  if (row?.since == null || row.deadline === null) return undefined;
  return { since: row.since, deadline: row.deadline };
}
