// Makes a move on a whole batch: page by page, many tasks per transaction, whose size does not grow with the batch.

import type { TaskId } from '../../domain/id.js';
import { type MoveName, OPEN_TO } from '../../domain/task/task-moves.js';
import type { Tenant } from '../../domain/tenant.js';
import type { Sql } from '../../store/sql.js';
import { readTaskIdsOfBatch } from '../../store/task/batch.js';
import type { MoveResult } from './moves.js';

const TASKS_A_PAGE = 500;

/** Returns how many tasks changed. Tasks that are added to the batch during the call may be missed. */
export async function moveBatch(
  deps: {
    readonly sql: Sql;
    readonly moveAll: (
      name: MoveName,
      tenant: Tenant,
      taskIds: readonly TaskId[],
    ) => Promise<ReadonlyMap<TaskId, MoveResult>>;
  },
  { bucket, customerId }: Tenant,
  batchId: string,
  move: MoveName,
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
