import type { TaskId } from '../../domain/id.js';
import type { Tenant } from '../../domain/tenant.js';
import { allOf, type Condition, countUpTo, type ListScope, ownRows, walkOf } from '../condition.js';
import type { ListSource } from '../list.js';
import type { AnySql } from '../sql.js';
import { idOfKey, isOfBatch, listOfBatch } from './of-batch.js';

export interface LedgerRow {
  readonly seq: bigint;
  readonly type: string;
  readonly amount: bigint;
  readonly task_id: bigint | null;
  readonly numbers: number | null;
  readonly available_delta: bigint;
  readonly frozen_delta: bigint;
  readonly available_after: bigint;
  readonly frozen_after: bigint;
  readonly remark: string | null;
  readonly created_at: Date;
}

export interface LedgerFilters {
  readonly taskId?: TaskId | undefined;
  readonly batchId?: string | undefined;
  readonly type?: string | undefined;
}

const COLUMNS = [
  'seq',
  'type',
  'amount',
  'task_id',
  'numbers',
  'available_delta',
  'frozen_delta',
  'available_after',
  'frozen_after',
  'remark',
  'created_at',
] as const;

/** Entries are numbered and dated under one lock, so the two orders agree save for a clock that was set back. */
const CLOCK_SLACK_ENTRIES = 1000;

/** The newest entry is the one with the highest number; cursors are numbers too. */
export function listLedgers(sql: AnySql, scope: ListScope, filters: LedgerFilters): ListSource<LedgerRow> {
  const { batchId } = filters;
  const byTask = filters.taskId !== undefined;
  const filtered = allOf(sql, ownRows(sql, scope), [
    filters.taskId === undefined ? undefined : sql`task_id = ${filters.taskId}`,
    filters.type === undefined ? undefined : sql`type = ${filters.type}`,
    ...timeConditions(sql, scope),
    byTask && batchId !== undefined ? isOfBatch(sql, scope, 'ledger_entry', batchId) : undefined,
  ]);
  if (batchId !== undefined && !byTask) {
    const records = { table: 'ledger_entry', id: 'seq', columns: COLUMNS, filtered, isTimed: false };
    return listOfBatch(sql, scope, batchId, records) as ListSource<LedgerRow>;
  }
  const matching = sql`from ledger_entry where ${filtered}`;
  const columns = sql([...COLUMNS]);
  return {
    keyOf: (row) => String(row.seq),
    count: async (limit) => {
      const isOfTimeAlone = !byTask && filters.type === undefined;
      return isOfTimeAlone && (await hasMany(sql, scope, limit)) ? limit : await countUpTo(sql, matching, limit);
    },
    rows: async ({ after: key, offset, limit, oldestFirst }) => {
      const after = idOfKey(key);
      const { direction, beyond } = walkOf(sql, oldestFirst);
      const seen = after === undefined ? sql`` : sql`and seq ${beyond} ${after}`;
      if (byTask) {
        // At most the entries of one task are sorted; the planner might walk all entries of the customer instead.
        return await sql<LedgerRow[]>`
          with matched as materialized (select ${columns} ${matching} ${seen})
          select ${columns} from matched order by seq ${direction} limit ${limit} offset ${offset}`;
      }
      return await sql<LedgerRow[]>`
        select ${columns} ${matching} ${seen} order by seq ${direction} limit ${limit} offset ${offset}`;
    },
  };
}

/**
 * Times become numbers through the index on time, so that a narrow time is a narrow range of the key. The times are
 * compared as well, which decides at the edges; as differences, which no index has: by the index on time the planner would
 * read all entries of the time and sort them, however many, to show the newest.
 */
function timeConditions(sql: AnySql, scope: ListScope): (Condition | undefined)[] {
  const { startMs, endMs } = scope;
  const start = startMs === undefined ? undefined : new Date(startMs);
  const end = endMs === undefined ? undefined : new Date(endMs);
  return [
    start && sql`created_at - ${start}::timestamptz >= '0' and seq >= (${firstSince(sql, scope, start)})`,
    end && sql`created_at - ${end}::timestamptz < '0' and seq <= (${lastBefore(sql, scope, end)})`,
  ];
}

/** No entry since then has a lower number. */
function firstSince(sql: AnySql, tenant: Tenant, start: Date): Condition {
  return sql`
    select min(seq) from (
      select seq from ledger_entry where ${ownRows(sql, tenant)} and created_at >= ${start}
      order by created_at limit ${CLOCK_SLACK_ENTRIES}) as first_entries`;
}

/** No entry before then has a higher number. */
function lastBefore(sql: AnySql, tenant: Tenant, end: Date): Condition {
  return sql`
    select max(seq) from (
      select seq from ledger_entry where ${ownRows(sql, tenant)} and created_at < ${end}
      order by created_at desc limit ${CLOCK_SLACK_ENTRIES}) as last_entries`;
}

/**
 * Whether there are so many entries of a time without any doubt. They are numbered without gaps, so the first and the last tell
 * it, and ten thousand of a long history need not be counted to say that there are more.
 */
async function hasMany(sql: AnySql, scope: ListScope, count: number): Promise<boolean> {
  const { startMs, endMs } = scope;
  const numbers = sql`select seq from ledger_entry where ${ownRows(sql, scope)} order by seq`;
  const first = startMs === undefined ? sql`${numbers} limit 1` : firstSince(sql, scope, new Date(startMs));
  const last = endMs === undefined ? sql`${numbers} desc limit 1` : lastBefore(sql, scope, new Date(endMs));
  const [row] = await sql<{ isMany: boolean | null }[]>`
    select (${last}) - (${first}) >= ${count + 2 * CLOCK_SLACK_ENTRIES} as "isMany"`;
  return row?.isMany === true;
}
