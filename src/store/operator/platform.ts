// Waiting work and its owners, over all customers. The cost of a statement depends on the waiting work, not on the history: waiting rows
// are in partial indexes, and counts stop at the limit that is shown.

import type { CustomerId } from '../../domain/id.js';
import type { ChannelFigures } from '../../domain/platform.js';
import { numericArray } from '../array-literal.js';
import { placeRanges, readQueuedCustomers } from '../chunk/dispatch-queue.js';
import type { AnySql } from '../sql.js';
import { isToPrepare } from '../task/task-prepare.js';

/** How far tasks and chunks that wait are counted; a chunk has up to 500 numbers. */
const MAX_TASKS = 10_000;
const MAX_CHUNKS = 2_000;
/** Of so many customers the oldest chunk is looked at; beyond, the age is that of the oldest among them. */
const MAX_CUSTOMERS = 1000;

export interface QueueDepth {
  readonly count: number;
  readonly isExact: boolean;
  /** Null when nothing waits. */
  readonly oldestAt: Date | null;
}

/** Tasks that are due to be prepared. */
export async function readToPrepare(sql: AnySql, bucket: number): Promise<QueueDepth> {
  const [row] = await sql<{ count: number; oldestAt: Date | null }[]>`
    select count(*)::int as count, to_timestamp((min(task_id) >> 20) / 1000.0) as "oldestAt" from (
      select task_id from task where bucket = ${bucket} and ${isToPrepare(sql, 'small')}
      union all
      select task_id from task where bucket = ${bucket} and ${isToPrepare(sql, 'large')}
      union all
      select task_id from task where bucket = ${bucket} and queued_for = 'prepare' and prepare_after is not null
      limit ${MAX_TASKS + 1}
    ) as waiting`;
  const count = row?.count ?? 0;
  return { count: Math.min(count, MAX_TASKS), isExact: count <= MAX_TASKS, oldestAt: row?.oldestAt ?? null };
}

/** Unsent parts in the queue of a channel, and since when the oldest of them could have gone. */
export async function readChannelQueue(sql: AnySql, bucket: number, channelId: bigint): Promise<QueueDepth> {
  const customerIds = await readQueuedCustomers(sql, bucket, channelId, 0n, MAX_CUSTOMERS);
  if (customerIds.length === 0) return { count: 0, isExact: true, oldestAt: null };
  const [unsent, oldestAt] = await Promise.all([
    countUnsent(sql, bucket, channelId),
    readOldest(sql, bucket, channelId, customerIds),
  ]);
  return { count: unsent.count, isExact: unsent.isExact && customerIds.length < MAX_CUSTOMERS, oldestAt };
}

/** A chunk has a byte for each of its parts, zero while it is unsent; no other byte has a zero for its low half. */
async function countUnsent(sql: AnySql, bucket: number, channelId: bigint): Promise<Omit<QueueDepth, 'oldestAt'>> {
  const [row] = await sql<{ chunks: number; parts: number }[]>`
    select count(*)::int as chunks,
      coalesce(sum(octet_length(part_states) - length(replace(encode(part_states, 'hex'), '00', '')) / 2), 0)::int as parts
    from (
      select part_states from chunk where bucket = ${bucket} and channel_id = ${channelId} and queue_no is not null
      limit ${MAX_CHUNKS + 1}
    ) as queued`;
  return { count: row?.parts ?? 0, isExact: (row?.chunks ?? 0) <= MAX_CHUNKS };
}

/** The first chunk of each class of a customer is its oldest. A task waits since it was submitted, which its timeline shows. */
async function readOldest(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  customerIds: readonly CustomerId[],
): Promise<Date | null> {
  const [row] = await sql<{ oldestAt: Date | null }[]>`
    select min((
      select max((entry->>'at')::timestamptz) from jsonb_array_elements(t.timeline) as entry
      where entry->>'stage' = 'submitting'
    )) as "oldestAt"
    from unnest(${numericArray(customerIds)}::bigint[]) as k (customer_id)
    cross join ${placeRanges(sql)}
    cross join lateral (
      select task_id from chunk
      where bucket = ${bucket} and channel_id = ${channelId} and customer_id = k.customer_id
        and queue_no > r.after and queue_no < r.before
      order by queue_no limit 1
    ) as c
    join task t on t.bucket = ${bucket} and t.customer_id = k.customer_id and t.task_id = c.task_id`;
  return row?.oldestAt ?? null;
}

/** Several buckets together. */
export function addDepths(all: readonly QueueDepth[]): QueueDepth {
  const times = all.flatMap(({ oldestAt }) => (oldestAt === null ? [] : [oldestAt.getTime()]));
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    isExact: all.every(({ isExact }) => isExact),
    oldestAt: times.length === 0 ? null : new Date(Math.min(...times)),
  };
}

export interface ChannelLease {
  readonly channel_id: bigint;
  readonly owner: string;
  /** Rises with every change of owner. */
  readonly token: bigint;
  readonly expires_at: Date;
  /** The figures that the owner published with its last heartbeat. */
  readonly said: {
    readonly window?: { readonly in_flight: number; readonly size: number } | null;
    readonly pace?: number | null;
    readonly figures?: ChannelFigures;
  };
}

/** The leases of channels with an owner. */
export async function readLeases(sql: AnySql): Promise<readonly ChannelLease[]> {
  return await sql<ChannelLease[]>`
    select beat.channel_id, fence.owner, beat.token, beat.expires_at, beat.health as said
    from channel_heartbeat beat
    join channel_fence fence on fence.channel_id = beat.channel_id and fence.token = beat.token
    where beat.expires_at > now()`;
}
