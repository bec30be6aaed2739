// Ends of batches, found without reading a large open batch again and again: of each the first open task is remembered, and the
// next search starts there. A task that has ended stays so, hence what is before it need not be read again.

import type { Tenant } from '../../domain/tenant.js';
import { ownRows } from '../condition.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { Sql } from '../sql.js';
import type { Span } from './webhook-history.js';

export interface FinishedBatch {
  readonly finishedId: bigint;
  readonly batchId: string;
}

export type ReadFinishedBatch = (tenant: Tenant, span: Span) => Promise<FinishedBatch | undefined>;

/** Of all customers together; all are forgotten beyond it, which costs a longer search. */
const MAX_KNOWN = 10_000;

/** Finds the next end of a batch: the end of a task after which none of its batch is open. */
export function createFinishedBatchReader(sql: Sql): ReadFinishedBatch {
  const openTasks = new Map<string, Map<string, bigint>>();
  let known = 0;

  const remember = (tenant: Tenant, batchId: string, taskId: bigint): void => {
    if (known >= MAX_KNOWN) {
      openTasks.clear();
      known = 0;
    }
    const key = String(tenant.customerId);
    const own = openTasks.get(key) ?? new Map<string, bigint>();
    openTasks.set(key, own);
    if (!own.has(batchId)) known += 1;
    own.set(batchId, taskId);
  };

  return async (tenant, span) => {
    const own = openTasks.get(String(tenant.customerId)) ?? new Map<string, bigint>();
    for (const { finishedId, batchId, openId } of await readEnds(sql, tenant, span, own)) {
      if (openId !== null) remember(tenant, batchId, openId);
      else if (await isFinished(sql, tenant, { finishedId, batchId })) return { finishedId, batchId };
    }
    return undefined;
  };
}

const KNOWN_TASKS = defineRows('known', { batchId: 'text', taskId: 'bigint' });

/** The batches with ends in the span, each with an open task if there is one at or behind the one that is known. */
async function readEnds(sql: Sql, tenant: Tenant, span: Span, openTasks: ReadonlyMap<string, bigint>) {
  const own = ownRows(sql, tenant);
  const known = [...openTasks].map(([batchId, taskId]) => ({ batchId, taskId }));
  return await sql<(FinishedBatch & { readonly openId: bigint | null })[]>`
    with ends as materialized (
      select batch_id, max(finished_id) as finished_id from task
      where ${own} and finished_id > ${span.after} and finished_id <= ${span.until} and batch_id is not null
      group by batch_id
    )
    select ends.finished_id as "finishedId", ends.batch_id as "batchId", open.task_id as "openId"
    from ends
    left join ${KNOWN_TASKS.unnest(sql, known)} on known.batch_id = ends.batch_id
    left join lateral (
      select task_id from task
      where ${own} and task.batch_id = ends.batch_id and task.task_id >= coalesce(known.task_id, 0) and completed_at is null
      order by task_id limit 1
    ) as open on true
    order by ends.finished_id`;
}

/** Reads the whole batch. One with an open task or a later end is skipped: its last end is still to come. */
async function isFinished(sql: Sql, tenant: Tenant, { finishedId, batchId }: FinishedBatch): Promise<boolean> {
  const rows = await sql`
    select 1 as one from task
    where ${ownRows(sql, tenant)} and batch_id = ${batchId} and (completed_at is null or finished_id > ${finishedId})
    limit 1`;
  return rows.length === 0;
}
