// The parts of all customers that failed on one channel with one code: the records behind the count of that code.
//
// An index of what failed, by channel, status and code, bounds what is read. It is ordered by the span of the id's time, as those of
// lists/history.ts are: what is sorted is the 131 seconds around the page. Its condition is repeated word for word, so that
// also a plan that is kept may use it.

import { asCustomerId, type CustomerId } from '../../domain/id.js';
import type { FailureEvent } from '../../domain/platform.js';
import { allOf, type Condition, countUpTo, idRange, type ListScope, spanOf } from '../condition.js';
import type { ListSource, PageBounds } from '../list.js';
import { listOverBuckets, mergeLists } from '../lists/over-buckets.js';
import type { Sql } from '../sql.js';

export interface FailureRecord {
  readonly event: FailureEvent;
  readonly code: string;
  /** Carries its time: of an answer when the part went on the wire, of a report when it came. */
  readonly id: bigint;
  readonly customerId: CustomerId;
  readonly taskId: bigint;
  readonly seq: number;
  readonly part: number;
  readonly parts: number;
  readonly phone: string;
  readonly firm: string;
  readonly upstreamMessageId: string | null;
}

export interface FailureFilters extends Pick<ListScope, 'startMs' | 'endMs'> {
  readonly channelId: bigint;
  readonly event: FailureEvent;
  readonly code: string;
}

type FailureRow = Omit<FailureRecord, 'event' | 'customerId'> & { readonly customerId: bigint };

interface FailureTable {
  readonly name: 'submit' | 'delivery' | 'receipt';
  readonly status: string;
}

const TABLES: Readonly<Record<FailureEvent, readonly FailureTable[]>> = {
  refused: [{ name: 'submit', status: 'rejected' }],
  unknown: [{ name: 'submit', status: 'unknown' }],
  undelivered: [
    { name: 'delivery', status: 'undelivered' },
    { name: 'receipt', status: 'undelivered' },
  ],
  expired: [{ name: 'delivery', status: 'expired' }],
  rejected: [{ name: 'delivery', status: 'rejected' }],
};

const COLUMNS: Readonly<Record<FailureTable['name'], { readonly status: string; readonly parts: string }>> = {
  submit: { status: 'status', parts: 'part, parts' },
  delivery: { status: 'status', parts: 'part, parts' },
  receipt: { status: 'result', parts: 'report_part as part, report_parts as parts' },
};

/** Word for word the conditions of the indexes. */
const IS_FAILURE: Readonly<Record<FailureTable['name'], string>> = {
  submit: `status <> 'accepted'`,
  delivery: `status in ('undelivered', 'expired', 'rejected')`,
  receipt: `result in ('undelivered', 'expired', 'rejected') and report_part is not null`,
};

/** The id and the customer: two customers may have the same id. */
export function isFailureKey(text: string): boolean {
  return /^\d{1,19}\.\d{1,18}$/.test(text) && BigInt(text.split('.')[0] ?? '') < 2n ** 63n;
}

/** Newest first. */
export function listFailures(sql: Sql, buckets: readonly number[], filters: FailureFilters): ListSource<FailureRecord> {
  const sourceOf = (bucket: number) =>
    mergeLists(
      TABLES[filters.event].map((table) => listFailuresOfTable(sql, bucket, table, filters)),
      byAge,
    );
  return listOverBuckets(buckets, sourceOf, byAge);
}

function byAge(one: FailureRecord, other: FailureRecord): number {
  if (one.id !== other.id) return one.id > other.id ? -1 : 1;
  return one.customerId > other.customerId ? -1 : 1;
}

function listFailuresOfTable(
  sql: Sql,
  bucket: number,
  { name, status }: FailureTable,
  filters: FailureFilters,
): ListSource<FailureRecord> {
  const id = sql(`${name}_id`);
  const columns = COLUMNS[name];
  const isFailure = sql.unsafe(IS_FAILURE[name]);
  const { from, until } = idRange(filters);
  const matching = (seen?: Condition) => {
    const own = sql`bucket = ${bucket} and channel_id = ${filters.channelId} and ${sql(columns.status)} = ${status} and ${isFailure}`;
    const filtered = allOf(sql, sql`${own} and code = ${filters.code}`, [
      from === undefined ? undefined : sql`${id} >= ${from} and (${id} >> 37) >= ${spanOf(from)}`,
      until === undefined ? undefined : sql`${id} < ${until} and (${id} >> 37) <= ${spanOf(until)}`,
      seen,
    ]);
    return sql`from ${sql(name)} where ${filtered}`;
  };
  return {
    keyOf: (record) => `${record.id}.${record.customerId}`,
    count: (limit) => countUpTo(sql, matching(), limit),
    async rows({ after, offset, limit }: PageBounds) {
      const rows = await sql<FailureRow[]>`
        select ${id} as id, code, customer_id as "customerId", task_id as "taskId", seq, ${sql.unsafe(columns.parts)}, phone, firm,
          upstream_message_id as "upstreamMessageId"
        ${matching(after === undefined ? undefined : isBehind(sql, name, after))}
        order by (${id} >> 37) desc, ${id} desc, customer_id desc limit ${limit} offset ${offset}`;
      return rows.map((row) => ({ ...row, event: filters.event, customerId: asCustomerId(row.customerId) }));
    },
  };
}

/** The id alone once more: by a pair of values no month is left unopened. */
function isBehind(sql: Sql, table: FailureTable['name'], key: string): Condition {
  const [lastId = '', customerId = ''] = key.split('.');
  const id = sql(`${table}_id`);
  return sql`
    (${id}, customer_id) < (${lastId}::bigint, ${customerId}::bigint) and ${id} <= ${lastId}
    and (${id} >> 37) <= ${spanOf(lastId)}`;
}
