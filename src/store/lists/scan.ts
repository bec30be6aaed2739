// Lists whose filter has no index. The primary key is walked in list order and the rows are filtered; a page ends after so many
// rows, full or not, with the key to continue after. So a page costs the same on any history, and rows are written without an
// index entry for what most of them have.

import { allOf, type Condition, idRange, type ListScope, ownRows, spanOf, walkOf } from '../condition.js';
import type { ListScan, ListSource, RowCount } from '../list.js';
import type { AnySql, Row } from '../sql.js';
import { type HistoryTable, isNotSuccess } from './history-table.js';
import { idOfKey } from './of-batch.js';

/**
 * How many rows a page walks. The same for every page by number, so that all of them walk the same rows; twice as deep as pages by
 * number go, so that these are full wherever every second row matches.
 */
export const MAX_SCANNED_ROWS = 20_000;

/** The filter may name any of the table's columns. With a status other than success, its index is walked instead of the key. */
export function listScanned(
  sql: AnySql,
  table: HistoryTable,
  scope: ListScope,
  filter: Condition,
  { status, count = (limit) => countScanned(sql, table, scope, filter, limit, status) }: ScanOptions = {},
): ListSource<Row> {
  const id = sql(table.id);
  const columns = sql([...table.columns]);
  const page: ListScan<Row>['page'] = async ({ after: key, offset, limit, oldestFirst }) => {
    const after = idOfKey(key);
    const { direction, beyond } = walkOf(sql, oldestFirst);
    const seen = after === undefined ? undefined : sql`${id} ${beyond} ${after}`;
    // The same order within the walk and without, by its columns, so that the walk ends with the page.
    const order = status === undefined ? sql`${id} ${direction}` : sql`span ${direction}, ${id} ${direction}`;
    const ofWalk =
      status === undefined
        ? seen
        : allOf(sql, ofStatus(sql, table, scope, status), [
            seen,
            after === undefined ? undefined : sql`(${id} >> 37) ${beyond}= ${spanOf(after)}`,
          ]);
    const span = status === undefined ? sql`` : sql`, (${id} >> 37) as span`;
    const walk = sql`${span} ${rowsOf(sql, table, scope, ofWalk)} order by ${order}`;
    // One statement, hence one snapshot: rows that are added meanwhile do not move the end of the walk.
    const found = await sql`
      with page as materialized (
        select ${columns} from (select ${columns} ${walk} limit ${MAX_SCANNED_ROWS}) as walked
        where ${filter} order by ${order} limit ${limit} offset ${offset}
      )
      select page.*, walk.last_id from (
        select case when (select count(*) from page) < ${limit}
          then (select ${id} from (select ${id} ${walk} limit 1 offset ${MAX_SCANNED_ROWS - 1}) as last) end as last_id
      ) as walk left join page on true order by page.${id} ${direction}`;
    const lastId = found[0]?.last_id ?? null;
    return {
      rows: found.filter((row) => row[table.id] !== null),
      resumeAfter: lastId === null ? undefined : String(lastId),
    };
  };
  return {
    keyOf: (row) => String(row[table.id]),
    rows: async (bounds) => (await page(bounds)).rows,
    count: async (limit) => (await count(limit)).count,
    scan: { page, count },
  };
}

/**
 * Records of the status that most have. Their total is that of all rows without the others, which have an index: a row with that status is
 * a record, and a delivered receipt has its report.
 */
export function listSuccesses(sql: AnySql, table: HistoryTable, scope: ListScope): ListSource<Row> {
  const isSuccess = sql`${sql(table.status)} = ${table.success ?? ''}`;
  const filter = allOf(sql, isSuccess, [table.isRecord?.(sql)]);
  return listScanned(sql, table, scope, filter, {
    count: (limit) => countSuccesses(sql, table, scope, filter, limit),
  });
}

interface ScanOptions {
  readonly status?: string | undefined;
  readonly count?: ListScan<Row>['count'];
}

/** The rows of a status other than success, as its index has them; see history.ts. */
function ofStatus(sql: AnySql, table: HistoryTable, scope: ListScope, status: string): Condition {
  const span = sql`(${sql(table.id)} >> 37)`;
  const { from, until } = idRange(scope);
  return allOf(sql, sql`${sql(table.status)} = ${status}`, [
    isNotSuccess(sql, table),
    from === undefined ? undefined : sql`${span} >= ${spanOf(from)}`,
    until === undefined ? undefined : sql`${span} <= ${spanOf(until)}`,
  ]);
}

async function countSuccesses(
  sql: AnySql,
  table: HistoryTable,
  scope: ListScope,
  filter: Condition,
  limit: number,
): Promise<RowCount> {
  const span = sql`(${sql(table.id)} >> 37)`;
  const { from, until } = idRange(scope);
  const isOther = allOf(sql, isNotSuccess(sql, table), [
    from === undefined ? undefined : sql`${span} >= ${spanOf(from)}`,
    until === undefined ? undefined : sql`${span} <= ${spanOf(until)}`,
  ]);
  const [row] = await sql<{ others: number; all: number }[]>`
    with other as materialized (
      select count(*)::int as others from (
        select 1 ${rowsOf(sql, table, scope, isOther)} order by ${sql(table.status)} limit ${MAX_SCANNED_ROWS}
      ) as other_rows
    )
    select others, (
      select count(*)::int from (
        select 1 ${rowsOf(sql, table, scope)} limit (select others + ${limit}::int from other)
      ) as all_rows
    ) as "all" from other`;
  const { others = 0, all = 0 } = row ?? {};
  if (others === MAX_SCANNED_ROWS) return await countScanned(sql, table, scope, filter, limit);
  return { count: Math.min(limit, all - others), isExact: true };
}

/** Among the newest rows; of more it is only a part. */
async function countScanned(
  sql: AnySql,
  table: HistoryTable,
  scope: ListScope,
  filter: Condition,
  limit: number,
  status?: string,
): Promise<RowCount> {
  const id = sql(table.id);
  const walk =
    status === undefined
      ? sql`${rowsOf(sql, table, scope)} order by ${id} desc`
      : sql`${rowsOf(sql, table, scope, ofStatus(sql, table, scope, status))} order by (${id} >> 37) desc, ${id} desc`;
  const [row] = await sql<{ matching: number; isCut: boolean }[]>`
    select (
      select count(*)::int from (
        select 1 from (select ${sql([...table.columns])} ${walk} limit ${MAX_SCANNED_ROWS}) as walked
        where ${filter} limit ${limit}
      ) as matching_rows
    ) as matching, exists (select 1 ${walk} limit 1 offset ${MAX_SCANNED_ROWS - 1}) as "isCut"`;
  const { matching = 0, isCut = false } = row ?? {};
  return { count: matching, isExact: matching === limit || !isCut };
}

function rowsOf(sql: AnySql, table: HistoryTable, scope: ListScope, also?: Condition): Condition {
  const id = sql(table.id);
  const { from, until } = idRange(scope);
  return sql`from ${sql(table.name)} where ${allOf(sql, ownRows(sql, scope), [
    from === undefined ? undefined : sql`${id} >= ${from}`,
    until === undefined ? undefined : sql`${id} < ${until}`,
    also,
  ])}`;
}
