// Accepting tasks: many requests, of any customers of one bucket, in one statement and one commit.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import { type MaybeNewTask, type NewTask, type Task, uniqueRequestKeyOf } from '../../domain/task/task.js';
import { bucketOfKey, bucketRow } from '../bucket.js';
import { defineRows } from '../rows/bulk-rows.js';
import { REQUEST_KEYS } from '../rows/keys.js';
import type { AnySql, Sql, Statement } from '../sql.js';
import { insertBatches } from './batch.js';

/** Inserts the tasks that are new, and the batches that begin with one of them. Returns the keys of the inserted tasks. */
export async function acceptTasks(
  sql: Sql,
  bucket: number,
  requested: readonly NewTask[],
): Promise<ReadonlySet<string>> {
  // Clients retry at another node, so two nodes may insert the same request keys. In different orders they would deadlock.
  const tasks = [...requested].sort(compareKeys);
  // A single statement needs no transaction, which saves a round trip.
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
function compareKeys(a: Task, b: Task): number {
  if (a.customerId !== b.customerId) return a.customerId < b.customerId ? -1 : 1;
  return a.requestKey < b.requestKey ? -1 : Number(a.requestKey > b.requestKey);
}

const ACCEPTED_TASK = {
  customerId: 'bigint',
  taskId: 'bigint',
  requestKey: 'text',
  fingerprint: 'bytea',
  batchId: 'text',
  title: 'text',
  content: 'text',
  templateId: 'bigint',
  serviceAccountId: 'bigint',
  accountDefaulted: 'boolean',
  targetFirms: 'text[]',
  autoPrepare: 'boolean',
  autoFreeze: 'boolean',
  autoSubmit: 'boolean',
  stage: 'text',
  timeline: 'jsonb',
  updatedAt: 'timestamptz',
  sendAt: 'timestamptz',
  expiresAt: 'timestamptz',
  unsentUntil: 'timestamptz',
} as const;

const NEW_TASKS = defineRows('n', { ...ACCEPTED_TASK, payload: 'text', queuedFor: 'text', counts: { total: 'int' } });

/**
 * Inserts the tasks that are new, and returns their keys. A task that is missing has the request key of a stored task or, one in a
 * million, its id.
 */
async function insertTasks(sql: AnySql, bucket: number, tasks: readonly NewTask[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ key: string }[]>`
    insert into task (bucket, ${NEW_TASKS.names(sql)})
    select b.bucket, ${NEW_TASKS.values(sql)}
    from ${bucketRow(sql, bucket)} cross join ${NEW_TASKS.unnest(sql, tasks, { unsentUntil: tasks.map((task) => task.expiresAt) })}
    on conflict do nothing
    returning customer_id::text || '/' || task_id::text as key`;
  return new Set(rows.map((row) => row.key));
}

const PLANNED_TASKS = defineRows('n', {
  ...ACCEPTED_TASK,
  failure: 'text',
  ended: 'text',
  insufficientFunds: 'boolean',
  overLimit: 'boolean',
  frozenAt: 'timestamptz',
  price: 'bigint',
  counts: { total: 'int', rejected: 'int' },
  hold: { frozen: 'bigint' },
  terms: { chargeOn: 'text', refundOnFailure: 'boolean' },
  submitAt: 'timestamptz',
  completedAt: 'timestamptz',
});

/** Inserts tasks of the express lane, which are planned before they are stored. Throws if a request key or an id exists. */
export function insertPlannedTasks(tx: AnySql, bucket: number, planned: readonly MaybeNewTask[], now: Date): Statement {
  const tasks = [...planned].sort(compareKeys);
  const rows = PLANNED_TASKS.unnest(tx, tasks, {
    unsentUntil: tasks.map(({ completedAt, expiresAt }) => (completedAt === null ? expiresAt : null)),
    content: tasks.map(({ content }) => content ?? null),
    ended: tasks.map(({ stage }) => (stage === 'failed' ? stage : null)),
    updatedAt: tasks.map(() => now),
  });
  return tx`
    insert into task (bucket, ${PLANNED_TASKS.names(tx)})
    select b.bucket, ${PLANNED_TASKS.values(tx)} from ${bucketRow(tx, bucket)} cross join ${rows}`;
}

/**
 * Which of these requests were accepted before, as `uniqueRequestKeyOf`. `+ 0` leaves the planner only the index by request key: without
 * statistics it would take the one by customer, and read all tasks of each.
 */
export async function readKnownRequests(
  tx: AnySql,
  bucket: number,
  requests: readonly Pick<Task, 'customerId' | 'requestKey'>[],
): Promise<ReadonlySet<string>> {
  const rows = await tx<Pick<Task, 'customerId' | 'requestKey'>[]>`
    select k.customer_id as "customerId", k.request_key as "requestKey" from ${REQUEST_KEYS.unnest(tx, requests)}
    where exists (
      select 1 from task t where t.bucket = ${bucketOfKey(tx, bucket, 'k')} and t.request_key = k.request_key and t.customer_id + 0 = k.customer_id)`;
  return new Set(rows.map(uniqueRequestKeyOf));
}
