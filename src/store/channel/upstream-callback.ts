// Callbacks of upstreams: stored by any process before it answers, until the owner of the channel has recorded them.

import { numericArray } from '../array-literal.js';
import type { AnySql, JSONValue } from '../sql.js';

export interface StoredCallback {
  readonly callbackId: bigint;
  readonly feedback: unknown;
}

export async function insertCallbacks(sql: AnySql, channelId: bigint, feedback: readonly object[]): Promise<void> {
  await sql`
    insert into upstream_callback (channel_id, feedback)
    select ${channelId}, f.value from jsonb_array_elements(${sql.json(feedback as unknown as JSONValue)}) with ordinality as f (value, at)
    order by f.at`;
}

/** The oldest callbacks of a channel after this one. */
export async function readCallbacks(
  sql: AnySql,
  channelId: bigint,
  after: bigint,
  limit: number,
): Promise<StoredCallback[]> {
  return await sql<StoredCallback[]>`
    select callback_id as "callbackId", feedback from upstream_callback
    where channel_id = ${channelId} and callback_id > ${after} order by callback_id limit ${limit}`;
}

export async function deleteCallbacks(sql: AnySql, callbackIds: readonly bigint[]): Promise<void> {
  await sql`delete from upstream_callback where callback_id = any(${numericArray(callbackIds)}::bigint[])`;
}

/** Whether the backlog of a channel is full. */
export async function isCallbackBacklogFull(sql: AnySql, channelId: bigint, limit: number): Promise<boolean> {
  const rows = await sql`
    select 1 as found from upstream_callback where channel_id = ${channelId} order by callback_id offset ${limit - 1} limit 1`;
  return rows.length > 0;
}

/** Deletes callbacks that no owner recorded within the retention time. Returns how many, at most `limit`. */
export async function deleteOldCallbacks(sql: AnySql, retentionMs: number, limit: number): Promise<number> {
  const rows = await sql`
    delete from upstream_callback where callback_id in (
      select callback_id from upstream_callback
      where received_at < now() - ${retentionMs} * interval '1 millisecond' order by callback_id limit ${limit})
    returning 1 as gone`;
  return rows.length;
}
