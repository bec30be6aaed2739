// A move of a whole batch: page by page over the tasks that it may apply to, many tasks a transaction, and none that grows
// with the batch.

import type { TaskId } from '../domain/id.js';
import type { Tenant } from '../domain/ledger.js';
import type { Sql } from '../store/connect.js';
import { readTaskIdsOfBatch, type TasksWanted } from '../store/task/batch.js';
import type { MoveResult } from './moves.js';

/** Where a task can be for a move to change anything. */
const OPEN_TO = {
  prepare: { stages: ['queued'] },
  freeze: { stages: ['prepared'], isFrozen: false },
  submit: { stages: ['prepared'], isFrozen: true },
  cancel: { stages: ['queued', 'prepared', 'submitting'] },
  pause: { stages: ['queued', 'prepared', 'submitting'] },
  resume: { stages: ['queued', 'prepared', 'submitting'] },
} as const satisfies Record<string, TasksWanted>;

export type BatchMove = keyof typeof OPEN_TO;

const TASKS_A_PAGE = 500;

/** Answers how many tasks the move changed. Tasks that join the batch meanwhile may be met or not. */
export async function moveBatch(
  deps: {
    readonly sql: Sql;
    readonly moveAll: (
      name: BatchMove,
      tenant: Tenant,
      taskIds: readonly TaskId[],
    ) => Promise<ReadonlyMap<TaskId, MoveResult>>;
  },
  { bucket, customerId }: Tenant,
  batchId: string,
  move: BatchMove,
): Promise<number> {
  const tenant = { bucket, customerId };
  let applied = 0;
  for (let after = 0n; ; ) {
    const taskIds = await readTaskIdsOfBatch(deps.sql, tenant, batchId, OPEN_TO[move], after, TASKS_A_PAGE);
    const results = taskIds.length > 0 ? await deps.moveAll(move, tenant, taskIds) : new Map<TaskId, MoveResult>();
    for (const result of results.values()) if (result.kind === 'ok' && result.isRepeat !== true) applied += 1;
    const last = taskIds.at(-1);
    if (last === undefined || taskIds.length < TASKS_A_PAGE) return applied;
    after = last;
  }
}
