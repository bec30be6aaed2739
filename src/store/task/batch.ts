// Batches: a row says that one exists and since when; everything else is summed from the rows of its tasks, so that it is exact at any
// time.

import { asTaskId, type CustomerId, type TaskId, timeOfId } from '../../domain/id.js';
import { moneyFromMillionths } from '../../domain/money/money.js';
import type { Batch } from '../../domain/task/batch.js';
import { STAGES, type Stage } from '../../domain/task/stages.js';
import { MOVE_NAMES, type MoveName, OPEN_TO, type TaskPlaces } from '../../domain/task/task-moves.js';
import type { Tenant } from '../../domain/tenant.js';
import { textArray } from '../array-literal.js';
import { bucketRow } from '../bucket.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql, PendingQuery, Row } from '../sql.js';

const NEW_BATCHES = defineRows('n', { customerId: 'bigint', batchId: 'text', taskId: 'bigint' });

/** Keeps a row for each batch that these tasks begin. In one order everywhere, so that two such inserts cannot block each other. */
export async function insertBatches(
  tx: AnySql,
  bucket: number,
  tasks: readonly { readonly customerId: CustomerId; readonly batchId: string | null; readonly taskId: TaskId }[],
): Promise<void> {
  await tx`
    insert into batch (bucket, customer_id, batch_id, first_task_id)
    select b.bucket, n.customer_id, n.batch_id, min(n.task_id)
    from ${bucketRow(tx, bucket)} cross join ${NEW_BATCHES.unnest(tx, tasks)}
    where n.batch_id is not null
    group by b.bucket, n.customer_id, n.batch_id
    order by n.customer_id, n.batch_id
    on conflict do nothing`;
}

/** Beyond where a task can be for a move: what keeps the move from changing it. */
const UNDONE: Readonly<Record<MoveName, (sql: AnySql) => PendingQuery<Row[]>>> = {
  prepare: (sql) => sql`queued_for = 'manual'`,
  freeze: (sql) => sql`frozen_at is null`,
  submit: (sql) => sql`frozen_at is not null and submit_at is null`,
  cancel: (sql) => sql`ending is null`,
  pause: (sql) => sql`ending is null and paused is not true`,
  resume: (sql) => sql`paused`,
};

/** Each batch of `chosen`, which selects batch_id, first_task_id and deleted_tasks, with the sums over its tasks. */
export function selectBatches(
  sql: AnySql,
  { bucket, customerId }: Tenant,
  chosen: PendingQuery<Row[]>,
): PendingQuery<Row[]> {
  const inStage = STAGES.map(
    (stage) => sql`count(*) filter (where stage = ${stage})::int as ${sql(`stage_${stage}`)}`,
  ).reduce((all, next) => sql`${all}, ${next}`);
  const openTo = MOVE_NAMES.map(
    (move) =>
      sql`count(*) filter (where stage = any(${textArray(OPEN_TO[move].stages)}::text[]) and ${UNDONE[move](sql)})::int
        as ${sql(`move_${move}`)}`,
  ).reduce((all, next) => sql`${all}, ${next}`);
  return sql`
    select chosen.batch_id, chosen.first_task_id, chosen.deleted_tasks, first_task.title, sums.*
    from (${chosen}) as chosen
    left join lateral (
      select title from task where bucket = ${bucket} and customer_id = ${customerId} and task_id = chosen.first_task_id
    ) as first_task on true
    cross join lateral (
      select count(*)::int as tasks, ${inStage}, count(*) filter (where paused)::int as paused,
        ${openTo}, sum(total)::bigint as total, sum(rejected)::bigint as rejected,
        sum(unknown)::bigint as unknown, sum(awaiting)::bigint as awaiting, sum(delivered)::bigint as delivered,
        sum(undelivered)::bigint as undelivered, sum(expired)::bigint as expired, sum(cancelled)::bigint as cancelled, sum(frozen)::bigint as frozen,
        sum(charged)::bigint as charged, sum(released)::bigint as released, sum(refunded)::bigint as refunded,
        sum(price) filter (where stage <> 'queued' and timeline @> '[{"stage":"prepared"}]')::bigint as price,
        max(updated_at) as updated_at,
        case when bool_and(completed_at is not null) then max(completed_at) end as completed_at
      from task where bucket = ${bucket} and customer_id = ${customerId} and batch_id = chosen.batch_id
    ) as sums`;
}

export async function readBatch(sql: AnySql, tenant: Tenant, batchId: string): Promise<Batch | undefined> {
  const { bucket, customerId } = tenant;
  const own = sql`select batch_id, first_task_id, deleted_tasks from batch
    where bucket = ${bucket} and customer_id = ${customerId} and batch_id = ${batchId}`;
  const [row] = await selectBatches(sql, tenant, own);
  return row === undefined ? undefined : toBatch(row);
}

export function toBatch(row: Row): Batch {
  const numbers = ['total', 'rejected', 'unknown', 'awaiting', 'delivered', 'undelivered', 'expired'] as const;
  const [total = 0, ...parts] = numbers.map((name) => Number(row[name]));
  const [rejected = 0, unknown = 0, awaiting = 0, delivered = 0, undelivered = 0, expired = 0] = parts;
  const unsent = total - parts.reduce((sum, count) => sum + count, 0);
  const stages: Partial<Record<Stage, number>> = {};
  for (const stage of STAGES) if (row[`stage_${stage}`] > 0) stages[stage] = row[`stage_${stage}`];
  const moves: Partial<Record<MoveName, number>> = {};
  for (const move of MOVE_NAMES) if (row[`move_${move}`] > 0) moves[move] = row[`move_${move}`];
  return {
    batchId: row.batch_id,
    title: row.title,
    tasks: row.tasks,
    deletedTasks: row.deleted_tasks,
    stages,
    paused: row.paused,
    moves,
    counts: { total, unsent, rejected, unknown, awaiting, delivered, undelivered, expired },
    cancelled: Number(row.cancelled),
    hold: {
      frozen: moneyFromMillionths(row.frozen),
      charged: moneyFromMillionths(row.charged),
      released: moneyFromMillionths(row.released),
      refunded: moneyFromMillionths(row.refunded),
    },
    price: row.price === null ? undefined : moneyFromMillionths(row.price),
    createdAt: timeOfId(row.first_task_id),
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
  };
}

/** Tasks of a batch, oldest first, from behind one of them. */
export async function readTaskIdsOfBatch(
  sql: AnySql,
  { bucket, customerId }: Tenant,
  batchId: string,
  { stages, isFrozen }: TaskPlaces,
  after: bigint,
  limit: number,
): Promise<TaskId[]> {
  const rows = await sql<{ task_id: bigint }[]>`
    select task_id from task
    where bucket = ${bucket} and customer_id = ${customerId} and batch_id = ${batchId} and task_id > ${after}
      and stage = any(${textArray(stages)}::text[])
      ${isFrozen === undefined ? sql`` : sql`and (frozen_at is not null) = ${isFrozen}`}
    order by task_id limit ${limit}`;
  return rows.map((row) => asTaskId(row.task_id));
}

/** Whether a batch is within both limits. Reads no more tasks than that takes. */
export async function isBatchWithin(
  sql: AnySql,
  { bucket, customerId }: Tenant,
  batchId: string,
  { tasks, numbers }: { readonly tasks: number; readonly numbers: number },
): Promise<boolean> {
  const [row] = await sql<{ tasks: number; numbers: bigint }[]>`
    select count(*)::int as tasks, coalesce(sum(total), 0)::bigint as numbers
    from (
      select total from task where bucket = ${bucket} and customer_id = ${customerId} and batch_id = ${batchId}
      limit ${tasks + 1}
    ) as first_tasks`;
  return row !== undefined && row.tasks <= tasks && row.numbers <= numbers;
}
