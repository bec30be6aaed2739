import type { Batch } from '../../domain/task/batch.js';
import { allOf, countUpTo, idRange, type ListScope, ownRows, walkOf } from '../condition.js';
import type { ListSource } from '../list.js';
import type { AnySql } from '../sql.js';
import { selectBatches, toBatch } from '../task/batch.js';
import { titleBeginsWith } from './tasks.js';
import type { WantedText } from './wanted-text.js';

/** A batch with what it is listed by. */
export interface ListedBatch extends Batch {
  readonly firstTaskId: bigint;
}

/** Newest first, by when they began. Only the batches of the page are added up. */
export function listBatches(
  sql: AnySql,
  scope: ListScope,
  filters: { readonly titleStart?: WantedText | undefined } = {},
): ListSource<ListedBatch> {
  const range = idRange(scope);
  const filtered = allOf(sql, ownRows(sql, scope), [
    range.from === undefined ? undefined : sql`first_task_id >= ${range.from}`,
    range.until === undefined ? undefined : sql`first_task_id < ${range.until}`,
    filters.titleStart === undefined
      ? undefined
      : sql`batch_id in (
          select batch_id from task
          where ${ownRows(sql, scope)} and ${titleBeginsWith(sql, filters.titleStart)} and batch_id is not null)`,
  ]);
  const matching = sql`from batch where ${filtered}`;
  return {
    keyOf: (batch) => String(batch.firstTaskId),
    count: (limit) => countUpTo(sql, matching, limit),
    rows: async ({ after, offset, limit, oldestFirst }) => {
      const { direction, beyond } = walkOf(sql, oldestFirst);
      const page = sql`
        select batch_id, first_task_id, deleted_tasks ${matching} ${after === undefined ? sql`` : sql`and first_task_id ${beyond} ${after}`}
        order by first_task_id ${direction} limit ${limit} offset ${offset}`;
      const rows = await sql`${selectBatches(sql, scope, page)} order by chosen.first_task_id ${direction}`;
      return rows.map((row) => ({ ...toBatch(row), firstTaskId: row.first_task_id }));
    },
  };
}
