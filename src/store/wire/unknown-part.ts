// Parts of which it is not known whether the upstream accepted them, until they are resolved.

import type { CustomerId, TaskId } from '../../domain/id.js';
import type { PartKey, UnknownPart } from '../../domain/record/records.js';
import type { TaskKey } from '../../domain/task/task.js';
import type { Tenant } from '../../domain/tenant.js';
import { numericArray } from '../array-literal.js';
import { bucketOfKey, bucketRow } from '../bucket.js';
import { defineRows } from '../rows/bulk-rows.js';
import { exceptTasks } from '../rows/except-tasks.js';
import { PART_KEYS } from '../rows/keys.js';
import type { AnySql, Statement } from '../sql.js';

const UNKNOWN_PARTS = defineRows('u', {
  customerId: 'bigint',
  taskId: 'bigint',
  seq: 'int',
  part: 'int',
  chunkNo: 'int',
  channelId: 'bigint',
  phoneKey: 'bigint',
});

export function insertUnknownParts(
  tx: AnySql,
  bucket: number,
  rows: readonly UnknownPart[],
  now: Date,
  deadline: Date,
): Statement {
  return tx`
    insert into unknown_part (bucket, ${UNKNOWN_PARTS.names(tx)}, since, deadline)
    select b.bucket, ${UNKNOWN_PARTS.values(tx)}, ${now}::timestamptz, ${deadline}::timestamptz
    from ${bucketRow(tx, bucket)} cross join ${UNKNOWN_PARTS.unnest(tx, rows)}`;
}

export function deleteUnknownParts(tx: AnySql, bucket: number, rows: readonly PartKey[]): Statement {
  return tx`
    delete from unknown_part p
    using ${PART_KEYS.unnest(tx, rows)}
    where p.bucket = ${bucketOfKey(tx, bucket, 'k')} and p.customer_id = k.customer_id and p.task_id = k.task_id and p.seq = k.seq
      and p.part = k.part`;
}

export interface OpenUnknown {
  readonly bucket: number;
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly chunkNo: number;
  readonly seq: number;
  readonly part: number;
  readonly phoneKey: bigint;
  readonly since: Date;
}

const COLUMNS = `bucket, customer_id as "customerId", task_id as "taskId", chunk_no as "chunkNo", seq, part,
  phone_key as "phoneKey", since`;

/** Unknown parts whose time is up, by the database's clock. */
export async function readOverdueUnknown(
  sql: AnySql,
  bucket: number,
  limit: number,
  except: readonly TaskKey[] = [],
): Promise<OpenUnknown[]> {
  return await sql<OpenUnknown[]>`
    select ${sql.unsafe(COLUMNS)} from unknown_part
    where bucket = ${bucket} and deadline <= now() and ${exceptTasks(sql, 'unknown_part', except)}
    order by deadline limit ${limit}`;
}

/** Unknown parts on a channel to any of these numbers. Of any bucket: an upstream knows numbers, not customers. */
export async function readUnknownByPhone(
  sql: AnySql,
  channelId: bigint,
  phoneKeys: readonly string[],
): Promise<OpenUnknown[]> {
  return await sql<OpenUnknown[]>`
    select ${sql.unsafe(COLUMNS)} from unknown_part
    where channel_id = ${channelId} and phone_key = any(${numericArray(phoneKeys)}::bigint[])`;
}

export async function readUnknownOfTask(
  sql: AnySql,
  { bucket, customerId }: Tenant,
  taskId: TaskId,
): Promise<OpenUnknown[]> {
  return await sql<OpenUnknown[]>`
    select ${sql.unsafe(COLUMNS)} from unknown_part
    where bucket = ${bucket} and customer_id = ${customerId} and task_id = ${taskId}`;
}

export interface Verification {
  /** When the first of the task's unknown parts became unknown. */
  readonly since: Date;
  /** When the first of them counts as not accepted. */
  readonly deadline: Date;
}

/** Undefined when nothing of the task is unknown. */
export async function readVerification(
  sql: AnySql,
  { bucket, customerId }: Tenant,
  taskId: TaskId,
): Promise<Verification | undefined> {
  const [row] = await sql<{ since: Date | null; deadline: Date | null }[]>`
    select min(since) as since, min(deadline) as deadline from unknown_part
    where bucket = ${bucket} and customer_id = ${customerId} and task_id = ${taskId}`;
  if (row?.since == null || row.deadline === null) return undefined;
  return { since: row.since, deadline: row.deadline };
}
