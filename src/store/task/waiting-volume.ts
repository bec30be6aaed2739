import type { Tenant } from '../../domain/tenant.js';
import type { AnySql } from '../sql.js';

/** What a customer has stored that has not gone out. */
export interface WaitingVolume {
  readonly tasks: number;
  readonly numbers: number;
  readonly bytes: number;
}

/**
 * Tasks that wait to be prepared, and chunks of which nothing was sent yet: scheduled, paused, without money, or behind others. Reads an index
 * entry a task and a row a chunk of up to 500 numbers; the sizes are in the rows, so that no payload is read.
 */
export async function readWaitingVolume(sql: AnySql, { bucket, customerId }: Tenant): Promise<WaitingVolume> {
  const [row] = await sql<WaitingVolume[]>`
    select (t.tasks + c.tasks)::float8 as tasks, (t.numbers + c.numbers)::float8 as numbers, (t.bytes + c.bytes)::float8 as bytes
    from (
      select count(*) as tasks, coalesce(sum(total), 0) as numbers, coalesce(sum(octet_length(payload)), 0) as bytes
      from task where bucket = ${bucket} and customer_id = ${customerId} and queued_for is not null
    ) as t cross join (
      select count(distinct task_id) as tasks, coalesce(sum(octet_length(results)), 0) as numbers,
        coalesce(sum(octet_length(numbers)), 0) as bytes
      from chunk where bucket = ${bucket} and customer_id = ${customerId} and intended_at is null
    ) as c`;
  return row ?? { tasks: 0, numbers: 0, bytes: 0 };
}
