// Chunks of channels that have been gone for a time, queued or of a paused task, by the database's clock.

import type { ChunkKey, StoredChunk } from '../../domain/chunk/chunk.js';
import type { CustomerId } from '../../domain/id.js';
import type { TaskKey } from '../../domain/task/task.js';
import { numericArray } from '../array-literal.js';
import type { Condition } from '../condition.js';
import { defineRows } from '../rows/bulk-rows.js';
import { exceptTasks } from '../rows/except-tasks.js';
import { CHUNK_KEYS } from '../rows/keys.js';
import type { AnySql } from '../sql.js';
import { type ChunkRow, chunkColumns, toStoredChunk, waitsSince } from './chunk.js';
import { placeRanges } from './dispatch-queue.js';

export interface GoneChannel {
  readonly channelId: bigint;
  /** It is up at this moment, though it never was for long. */
  readonly isUp: boolean;
}

/** Channels that have not been live for this long: without an owner, down, or up for moments only. */
export async function readGoneChannels(sql: AnySql, afterMs: number): Promise<GoneChannel[]> {
  // Includes channels that never had an owner.
  return await sql<GoneChannel[]>`
    select c.channel_id as "channelId",
      coalesce(h.expires_at > now() and coalesce(h.health->>'state', 'down') <> 'down', false) as "isUp"
    from channel c left join channel_heartbeat h on h.channel_id = c.channel_id
    where h.live_at is null or h.live_at <= ${before(sql, afterMs)}
    order by c.channel_id`;
}

/** Those of the channels on which a chunk has waited so long: one look at the oldest chunk of each, and at the oldest that was moved. */
export async function readOverdueChannels(
  sql: AnySql,
  bucket: number,
  channelIds: readonly bigint[],
  afterMs: number,
): Promise<bigint[]> {
  const rows = await sql<{ channelId: bigint }[]>`
    select k.channel_id as "channelId"
    from unnest(${numericArray(channelIds)}::bigint[]) as k (channel_id)
    left join lateral (
      select queued_at from chunk
      where bucket = ${bucket} and channel_id = k.channel_id and queue_no > 0 order by queued_at limit 1
    ) as oldest on true
    left join lateral (
      select waits_since from chunk
      where bucket = ${bucket} and channel_id = k.channel_id and queue_no > 0 and waits_since is not null
      order by waits_since limit 1
    ) as moved on true
    where least(oldest.queued_at, moved.waits_since) <= ${before(sql, afterMs)}`;
  return rows.map((row) => row.channelId);
}

/**
 * The oldest chunks that have waited so long on a channel, a few of each class of these customers. Places of a class are given in the
 * order of time, so no more of its queue is read than that.
 */
export async function readStrandedKeys(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  customerIds: readonly CustomerId[],
  afterMs: number,
  perCustomer: number,
  except: readonly TaskKey[] = [],
): Promise<ChunkKey[]> {
  return await sql<ChunkKey[]>`
    select c.bucket, c.customer_id as "customerId", c.task_id as "taskId", c.chunk_no as "chunkNo"
    from unnest(${numericArray(customerIds)}::bigint[]) as k (customer_id)
    cross join ${placeRanges(sql)}
    cross join lateral (
      select bucket, customer_id, task_id, chunk_no, queued_at, waits_since from chunk
      where bucket = ${bucket} and channel_id = ${channelId} and customer_id = k.customer_id
        and queue_no > r.after and queue_no < r.before and ${exceptTasks(sql, 'chunk', except)}
      order by queue_no limit ${perCustomer}
    ) as c
    where ${waitsSince(sql)} <= ${before(sql, afterMs)}`;
}

/** A chunk of a paused task. */
export interface PausedKey extends ChunkKey {
  readonly channelId: bigint;
}

/** Chunks on these channels that have been paused or queued for so long. They are in no queue: reads the paused tasks of the bucket. */
export async function readPausedOnChannels(
  sql: AnySql,
  bucket: number,
  channelIds: readonly bigint[],
  afterMs: number,
  limit: number,
  except: readonly TaskKey[] = [],
): Promise<PausedKey[]> {
  const onChannels = sql`c.channel_id in (select unnest(${numericArray(channelIds)}::bigint[]))`;
  return await readPaused(sql, bucket, onChannels, afterMs, limit, except);
}

/** A channel, and a customer that may not use it. */
export interface RevokedGrant {
  readonly customerId: CustomerId;
  readonly channelId: bigint;
}

const GRANTS = defineRows('g', { customerId: 'bigint', channelId: 'bigint' });

/** The same for customers that lost these grants. */
export async function readPausedOnRevoked(
  sql: AnySql,
  bucket: number,
  grants: readonly RevokedGrant[],
  afterMs: number,
  limit: number,
  except: readonly TaskKey[] = [],
): Promise<PausedKey[]> {
  const onRevoked = sql`(c.customer_id, c.channel_id) in (select g.customer_id, g.channel_id from ${GRANTS.unnest(sql, grants)})`;
  return await readPaused(sql, bucket, onRevoked, afterMs, limit, except);
}

async function readPaused(
  sql: AnySql,
  bucket: number,
  isThere: Condition,
  afterMs: number,
  limit: number,
  except: readonly TaskKey[],
): Promise<PausedKey[]> {
  return await sql<PausedKey[]>`
    select c.bucket, c.customer_id as "customerId", c.task_id as "taskId", c.chunk_no as "chunkNo", c.channel_id as "channelId"
    from task t join chunk c on c.bucket = ${bucket} and c.customer_id = t.customer_id and c.task_id = t.task_id
    where t.bucket = ${bucket} and ${isPausedFor(sql, afterMs)} and ${isThere} and ${exceptTasks(sql, 'c', except)}
    limit ${limit}`;
}

/**
 * Whether a chunk `c` of a paused task `t` has waited so long. Pausing does not begin the wait anew: it counts from when the chunk was
 * queued, or, where the task was paused before, from when it would have been. What is sent later or not submitted does not wait yet.
 */
function isPausedFor(sql: AnySql, afterMs: number): Condition {
  return sql`
    t.paused and t.submit_at <= now() and c.queue_no is null and not c.handed_over
      and greatest(t.send_at, case when t.stage = 'prepared' then t.submit_at else ${waitsSince(sql)} end) <= ${before(sql, afterMs)}`;
}

/** Those of the chunks that still wait on this channel, read under the locks of their accounts: nothing of them is sent meanwhile. */
export async function readStranded(
  tx: AnySql,
  bucket: number,
  keys: readonly ChunkKey[],
  channelId: bigint,
  afterMs: number,
): Promise<StoredChunk[]> {
  const rows = await tx<ChunkRow[]>`
    select ${chunkColumns(tx)}
    from ${CHUNK_KEYS.unnest(tx, keys)}
    join chunk c on c.bucket = ${bucket} and c.customer_id = k.customer_id and c.task_id = k.task_id
      and c.chunk_no = k.chunk_no
    join task t on t.bucket = ${bucket} and t.customer_id = k.customer_id and t.task_id = k.task_id
    where c.channel_id = ${channelId}
      and (c.queue_no is not null and ${waitsSince(tx)} <= ${before(tx, afterMs)} or (${isPausedFor(tx, afterMs)}))`;
  return rows.map(toStoredChunk);
}

function before(sql: AnySql, ms: number) {
  return sql`now() - ${ms} * interval '1 millisecond'`;
}
