// Records of a batch. A batch may have thousands of tasks of thousands of numbers, and no record knows its batch; so records
// are found through the tasks, by the index that each table has on them.
//
// A small batch is read whole and sorted, newest first like every list. In a larger one the newest task comes first, and
// within a task the newest record: a page then reads one task or a few, however large the batch is.

import type { Tenant } from '../../domain/tenant.js';
import { type Condition, countUpTo, ownRows, walkOf } from '../condition.js';
import type { ListSource } from '../list.js';
import type { AnySql, Row } from '../sql.js';
import { isBatchWithin } from '../task/batch.js';

/** Up to which a batch is read whole for a page: as many numbers as four full tasks have, in not too many tasks. */
export const MAX_SORTED = { numbers: 20_000, tasks: 1_000 };

export interface RecordsOfBatch {
  readonly table: string;
  readonly id: string;
  readonly columns: readonly string[];
  /** Conditions on the records, beginning with whose they are. */
  readonly filtered: Condition;
  /** A condition that a task must meet to have such a record at all. */
  readonly tasks?: Condition | undefined;
  /** Whether the id carries its time, so that months before the task need not be opened. */
  readonly isTimed: boolean;
}

/** A day between ids that carry their time. It allows for clocks that differ. */
export const DAY_OF_IDS = 86_400_000n << 20n;

const KEY = /^(\d{1,19})\/(\d{1,19})$/;
const MAX_ID = 2n ** 63n;

/** A place in a list that may be of a batch: an id, or a task and an id. */
export function isRecordKey(text: string): boolean {
  const ids = KEY.exec(text)?.slice(1) ?? [text];
  return ids.every((id) => /^\d{1,19}$/.test(id) && BigInt(id) < MAX_ID);
}

/** The id in a place, for lists that are ordered by it alone. */
export function idOfKey(key: string | undefined): string | undefined {
  return key === undefined ? undefined : (KEY.exec(key)?.[2] ?? key);
}

/**
 * The condition that a record is of a task of this batch, for lists that something else keeps short. The offset makes it a
 * look into the index for each record; joined, all tasks of the batch might be read for each of them.
 */
export function isOfBatch(sql: AnySql, tenant: Tenant, table: string, batchId: string): Condition {
  return sql`exists (
    select 1 from task as of_batch where of_batch.bucket = ${tenant.bucket} and of_batch.customer_id = ${tenant.customerId}
      and of_batch.task_id = ${sql(table)}.task_id and of_batch.batch_id = ${batchId} offset 0)`;
}

export function listOfBatch(sql: AnySql, tenant: Tenant, batchId: string, records: RecordsOfBatch): ListSource<Row> {
  const id = sql(records.id);
  const columns = sql([...records.columns]);
  const tasks = (from: string | undefined, oldestFirst: boolean) => sql`
    select task_id as of_task from task where ${ownRows(sql, tenant)} and batch_id = ${batchId}
    ${records.tasks === undefined ? sql`` : sql`and ${records.tasks}`}
    ${from === undefined ? sql`` : sql`and task_id ${walkOf(sql, oldestFirst).beyond}= ${from}`}
    order by task_id ${walkOf(sql, oldestFirst).direction}`;
  const recent = records.isTimed ? sql`and ${id} >= chosen.of_task - ${DAY_OF_IDS}::bigint` : sql``;
  // The offset keeps each task a look into the index of its records, instead of a join over all records of the customer.
  const each = (from: string | undefined, seen: Condition, oldestFirst = false) => sql`
    from (${tasks(from, oldestFirst)}) as chosen cross join lateral (
      select ${columns} from ${sql(records.table)} where ${records.filtered} and task_id = chosen.of_task ${recent} ${seen}
      offset 0
    ) as found`;
  let isSmall: Promise<boolean> | undefined;

  return {
    // Both forms of the key contain the id; a list that began with one continues with it, even if the batch grows.
    keyOf: (row) => (row.is_sorted ? String(row[records.id]) : `${row.task_id}/${row[records.id]}`),
    count: (limit) => countUpTo(sql, each(undefined, sql``), limit),
    rows: async ({ after, offset, limit, oldestFirst = false }) => {
      const { direction, beyond } = walkOf(sql, oldestFirst);
      const place = after === undefined ? undefined : KEY.exec(after);
      isSmall ??=
        after === undefined ? isBatchWithin(sql, tenant, batchId, MAX_SORTED) : Promise.resolve(place === null);
      if (await isSmall) {
        const seen = after === undefined ? sql`` : sql`and ${id} ${beyond} ${after}`;
        return await sql`
          with matched as materialized (select ${columns} ${each(undefined, seen)})
          select ${columns}, true as is_sorted from matched order by ${id} ${direction} limit ${limit} offset ${offset}`;
      }
      const [, task, last] = place ?? [];
      const seen = task === undefined ? sql`` : sql`and (task_id ${beyond} ${task} or ${id} ${beyond} ${last ?? ''})`;
      return await sql`
        select ${columns}, false as is_sorted ${each(task, seen, oldestFirst)}
        order by chosen.of_task ${direction}, ${id} ${direction} limit ${limit} offset ${offset}`;
    },
  };
}
