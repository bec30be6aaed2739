// Parts of which it is not known whether the upstream accepted them, until they are resolved.

import type { CustomerId, TaskId } from '../domain/id.js';
import { numericArray } from './array-literal.js';
import type { ChunkKey } from './chunk.js';
import type { AnySql, Statement } from './connect.js';

export interface UnknownPart extends ChunkKey {
  readonly seq: number;
  readonly part: number;
  readonly channelId: bigint;
  readonly phoneKey: string;
}

export function insertUnknownParts(
  tx: AnySql,
  customerId: CustomerId,
  rows: readonly UnknownPart[],
  now: Date,
  deadline: Date,
): Statement {
  return tx`
    insert into unknown_part (customer_id, task_id, seq, part, chunk_no, channel_id, phone_key, since, deadline)
    select ${customerId}, u.*, ${now}, ${deadline}
    from unnest(
      ${numericArray(rows.map((r) => r.taskId))}::bigint[], ${numericArray(rows.map((r) => r.seq))}::int[], ${numericArray(rows.map((r) => r.part))}::int[],
      ${numericArray(rows.map((r) => r.chunkNo))}::int[], ${numericArray(rows.map((r) => r.channelId))}::bigint[],
      ${numericArray(rows.map((r) => r.phoneKey))}::bigint[]
    ) as u`;
}

export function deleteUnknownParts(
  tx: AnySql,
  customerId: CustomerId,
  rows: readonly { readonly taskId: TaskId; readonly seq: number; readonly part: number }[],
): Statement {
  return tx`
    delete from unknown_part p
    using unnest(
      ${numericArray(rows.map((r) => r.taskId))}::bigint[], ${numericArray(rows.map((r) => r.seq))}::int[], ${numericArray(rows.map((r) => r.part))}::int[]
    ) as r (task_id, seq, part)
    where p.customer_id = ${customerId} and p.task_id = r.task_id and p.seq = r.seq and p.part = r.part`;
}

export interface OpenUnknown {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly chunkNo: number;
  readonly seq: number;
  readonly part: number;
  readonly phoneKey: bigint;
  readonly since: Date;
}

/** Unknown parts whose time is up, by the database's clock. */
export async function readOverdueUnknown(sql: AnySql, limit: number): Promise<OpenUnknown[]> {
  return await sql<OpenUnknown[]>`
    select customer_id as "customerId", task_id as "taskId", chunk_no as "chunkNo", seq, part, phone_key as "phoneKey", since
    from unknown_part where deadline <= now() order by deadline limit ${limit}`;
}

/** Unknown parts on a channel to any of these numbers. */
export async function readUnknownByPhone(
  sql: AnySql,
  channelId: bigint,
  phoneKeys: readonly string[],
): Promise<OpenUnknown[]> {
  return await sql<OpenUnknown[]>`
    select customer_id as "customerId", task_id as "taskId", chunk_no as "chunkNo", seq, part, phone_key as "phoneKey", since
    from unknown_part where channel_id = ${channelId} and phone_key = any(${numericArray(phoneKeys)}::bigint[])`;
}

export async function readUnknownOfTask(sql: AnySql, customerId: CustomerId, taskId: TaskId): Promise<OpenUnknown[]> {
  return await sql<OpenUnknown[]>`
    select customer_id as "customerId", task_id as "taskId", chunk_no as "chunkNo", seq, part, phone_key as "phoneKey", since
    from unknown_part where customer_id = ${customerId} and task_id = ${taskId}`;
}
