// Chunks by the time at which they were queued, and what is known of the transactions that queue them.

import type { CustomerId } from '../../domain/id.js';
import { classOfPlace, type QueueKey, queueKeyOf, RANGE_BITS } from '../../domain/rules/queue-place.js';
import type { AnySql } from '../sql.js';

/** A time by the database's clock, and the transactions at a moment not before it. */
export interface QueueHorizon {
  readonly at: Date;
  /** Every transaction with a lower id has ended. */
  readonly firstRunning: bigint;
  /** No transaction has this id or a higher one yet. */
  readonly firstUnassigned: bigint;
}

/** `now()` is read before the snapshot is taken: a transaction that gets its id after the snapshot reads a later clock. */
const HORIZON = `now() as at, pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "firstRunning",
  pg_snapshot_xmax(pg_current_snapshot())::text::bigint as "firstUnassigned"`;

/** Outside of a transaction only: in one, `now()` is its beginning. */
export async function readQueueHorizon(sql: AnySql): Promise<QueueHorizon> {
  const [row] = await sql<QueueHorizon[]>`select ${sql.unsafe(HORIZON)}`;
  if (row === undefined) throw new Error('A question to the database had no answer.');
  return row;
}

/** A queue with chunks. */
export interface FoundQueue {
  readonly queue: QueueKey;
  /** The last place of those that were found; undefined where only the queue is known. */
  readonly last: bigint | undefined;
}

/**
 * The queues in which chunks were queued on a channel at a time or later, with the horizon of the same snapshot. The order and
 * the condition on the place name the index by time: by any other, rows that are deleted and still in a snapshot cost as much as live ones.
 */
export async function readNewlyQueued(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  since: Date,
): Promise<{ readonly horizon: QueueHorizon; readonly queues: FoundQueue[] }> {
  const rows = await sql<(QueueHorizon & { customerId: CustomerId | null; last: bigint })[]>`
    select h.*, q.customer_id as "customerId", q.last
    from (select ${sql.unsafe(HORIZON)}) as h
    left join (
      select customer_id, max(queue_no) as last from (
        select customer_id, queue_no from chunk
        where bucket = ${bucket} and channel_id = ${channelId} and queue_no > 0 and queued_at >= ${since}
        order by queued_at offset 0
      ) as newest
      group by customer_id, queue_no >> ${RANGE_BITS}
    ) as q on true`;
  const [horizon] = rows;
  if (horizon === undefined) throw new Error('A question to the database had no answer.');
  return {
    horizon,
    queues: rows.flatMap(({ customerId, last }) =>
      customerId === null ? [] : [{ queue: queueKeyOf(customerId, classOfPlace(last)), last }],
    ),
  };
}
