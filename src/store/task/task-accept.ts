// Accepting tasks: many requests, of any customers of one bucket, in one statement and one commit.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import type { NewTask } from '../../domain/task/task.js';
import { booleanArray, numericArray, textArray, timeArray } from '../array-literal.js';
import { bucketRow } from '../bucket.js';
import type { AnySql, Sql } from '../connect.js';
import { insertBatches } from './batch.js';

/** Inserts the tasks that are new, and the batches that begin with one of them. */
export async function acceptTasks(
  sql: Sql,
  bucket: number,
  accepted: readonly NewTask[],
): Promise<ReadonlySet<string>> {
  // Clients retry at another node: two nodes may insert the same request keys, and wait for each other's if their orders differ.
  const tasks = [...accepted].sort(compareKeys);
  // One statement commits by itself, which saves the way to the database and back.
  if (tasks.every(({ batchId }) => batchId === null)) return await insertTasks(sql, bucket, tasks);
  return await sql.begin(async (tx) => {
    const inserted = await insertTasks(tx, bucket, tasks);
    await insertBatches(
      tx,
      bucket,
      tasks.filter((task) => inserted.has(taskKeyOf(task))),
    );
    return inserted;
  });
}

/** The order of the unique key. */
function compareKeys(a: NewTask, b: NewTask): number {
  if (a.customerId !== b.customerId) return a.customerId < b.customerId ? -1 : 1;
  return a.requestKey < b.requestKey ? -1 : Number(a.requestKey > b.requestKey);
}

/**
 * Inserts the tasks that are new. Those missing from the answer met a task with the same request key, or (one in a million)
 * with the same id.
 */
async function insertTasks(sql: AnySql, bucket: number, tasks: readonly NewTask[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ key: string }[]>`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, batch_id, template_id, service_account_id,
      account_defaulted, target_firms, auto_prepare, auto_freeze, auto_submit, payload, stage, queued_for, total, timeline,
      updated_at, send_at, expires_at, unsent_until)
    select b.bucket, n.customer_id, n.task_id, n.request_key, decode(n.fingerprint, 'hex'), n.batch_id, n.template_id,
      n.service_account_id, n.account_defaulted, n.target_firms::text[], n.auto_prepare, n.auto_freeze, n.auto_submit,
      n.payload, n.stage, n.queued_for, n.total, n.timeline::jsonb, to_timestamp(n.created_ms / 1000.0),
      n.send_at, n.expires_at, n.expires_at
    from ${bucketRow(sql, bucket)} cross join unnest(
      ${numericArray(tasks.map((t) => t.customerId))}::bigint[], ${numericArray(tasks.map((t) => t.taskId))}::bigint[],
      ${textArray(tasks.map((t) => t.requestKey))}::text[], ${textArray(tasks.map((t) => t.fingerprint.toString('hex')))}::text[],
      ${textArray(tasks.map((t) => t.batchId))}::text[],
      ${numericArray(tasks.map((t) => t.templateId))}::bigint[], ${numericArray(tasks.map((t) => t.serviceAccountId))}::bigint[],
      ${booleanArray(tasks.map((t) => t.accountDefaulted))}::boolean[],
      ${textArray(tasks.map((t) => (t.targetFirms === null ? null : textArray(t.targetFirms))))}::text[],
      ${booleanArray(tasks.map((t) => t.autoPrepare))}::boolean[], ${booleanArray(tasks.map((t) => t.autoFreeze))}::boolean[],
      ${booleanArray(tasks.map((t) => t.autoSubmit))}::boolean[], ${textArray(tasks.map((t) => t.payload))}::text[],
      ${textArray(tasks.map((t) => t.stage))}::text[], ${textArray(tasks.map((t) => t.queuedFor))}::text[],
      ${numericArray(tasks.map((t) => t.counts.total))}::int[],
      ${textArray(tasks.map((t) => JSON.stringify(t.timeline)))}::text[], ${numericArray(tasks.map((t) => t.createdAt.getTime()))}::bigint[],
      ${timeArray(tasks.map((t) => t.sendAt))}::timestamptz[], ${timeArray(tasks.map((t) => t.expiresAt))}::timestamptz[]
    ) as n (customer_id, task_id, request_key, fingerprint, batch_id, template_id, service_account_id, account_defaulted,
      target_firms, auto_prepare, auto_freeze, auto_submit, payload, stage, queued_for, total, timeline, created_ms, send_at, expires_at)
    on conflict do nothing
    returning customer_id::text || '/' || task_id::text as key`;
  return new Set(rows.map((row) => row.key));
}
