// Accepting tasks: many requests, of any customers, in one statement and one commit.

import type { CustomerId, TaskId } from '../domain/id.js';
import type { Stage } from '../domain/stages.js';
import { booleanArray, numericArray, textArray } from './array-literal.js';
import type { AnySql } from './connect.js';

export interface NewTask {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly requestKey: string;
  readonly fingerprint: Buffer;
  readonly templateId: bigint;
  readonly serviceAccountId: bigint;
  readonly accountDefaulted: boolean;
  readonly targetFirms: readonly string[];
  readonly autoPrepare: boolean;
  readonly autoFreeze: boolean;
  readonly autoSubmit: boolean;
  readonly payload: string;
  readonly total: number;
  readonly createdAt: Date;
  /** Whether it is to be prepared by itself. */
  readonly prepare: boolean;
}

const FIRST_STAGE: Stage = 'queued';

/**
 * Inserts the tasks that are new, each with its prepare job. Those missing from the answer met a task with the same
 * request key, or (one in a million) with the same id.
 */
export async function insertTasks(sql: AnySql, tasks: readonly NewTask[]): Promise<ReadonlySet<TaskId>> {
  const rows = await sql<{ taskId: TaskId }[]>`
    with accepted as (
      insert into task (customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
        target_firms, auto_prepare, auto_freeze, auto_submit, payload, stage, total, timeline, updated_at)
      select n.customer_id, n.task_id, n.request_key, decode(n.fingerprint, 'hex'), n.template_id, n.service_account_id,
        n.account_defaulted, n.target_firms::text[], n.auto_prepare, n.auto_freeze, n.auto_submit, n.payload,
        ${FIRST_STAGE}, n.total, n.timeline::jsonb, to_timestamp(n.created_ms / 1000.0)
      from unnest(
        ${numericArray(tasks.map((t) => t.customerId))}::bigint[], ${numericArray(tasks.map((t) => t.taskId))}::bigint[],
        ${textArray(tasks.map((t) => t.requestKey))}::text[],
        ${textArray(tasks.map((t) => t.fingerprint.toString('hex')))}::text[],
        ${numericArray(tasks.map((t) => t.templateId))}::bigint[],
        ${numericArray(tasks.map((t) => t.serviceAccountId))}::bigint[],
        ${booleanArray(tasks.map((t) => t.accountDefaulted))}::boolean[],
        ${textArray(tasks.map((t) => (t.targetFirms.length > 0 ? textArray(t.targetFirms) : null)))}::text[],
        ${booleanArray(tasks.map((t) => t.autoPrepare))}::boolean[],
        ${booleanArray(tasks.map((t) => t.autoFreeze))}::boolean[],
        ${booleanArray(tasks.map((t) => t.autoSubmit))}::boolean[], ${textArray(tasks.map((t) => t.payload))}::text[],
        ${numericArray(tasks.map((t) => t.total))}::int[], ${textArray(tasks.map(firstTimeline))}::text[],
        ${numericArray(tasks.map((t) => t.createdAt.getTime()))}::bigint[]
      ) as n (customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
        target_firms, auto_prepare, auto_freeze, auto_submit, payload, total, timeline, created_ms)
      on conflict do nothing
      returning customer_id, task_id
    ), queued as (
      insert into job (kind, customer_id, task_id)
      select 'prepare', a.customer_id, a.task_id
      from accepted a
      join unnest(
        ${numericArray(tasks.map((t) => t.customerId))}::bigint[], ${numericArray(tasks.map((t) => t.taskId))}::bigint[],
        ${booleanArray(tasks.map((t) => t.prepare))}::boolean[]
      ) as n (customer_id, task_id, prepare) on n.customer_id = a.customer_id and n.task_id = a.task_id
      where n.prepare
    )
    select task_id as "taskId" from accepted`;
  return new Set(rows.map((row) => row.taskId));
}

function firstTimeline(task: NewTask): string {
  return JSON.stringify([{ stage: FIRST_STAGE, at: task.createdAt.toISOString() }]);
}
