// Unknown parts of all customers, which operators can resolve: those with the earliest deadline first.

import { asCustomerId, type CustomerId, type TaskId } from '../../domain/id.js';
import type { ListSource } from '../list.js';
import { listOverBuckets } from '../lists/over-buckets.js';
import type { Sql } from '../sql.js';

export interface UnknownRecord {
  readonly customerId: CustomerId;
  readonly task_id: bigint;
  readonly seq: number;
  readonly part: number;
  readonly channel_id: bigint;
  readonly since: Date;
  readonly deadline: Date;
  /** Orders the list to the microsecond, which a Date does not hold. */
  readonly deadline_us: bigint;
  readonly request_key: string | null;
  /** From the record of the wire. */
  readonly submitted_at: Date | null;
  readonly phone: string | null;
  readonly firm: string | null;
  readonly parts: number | null;
  readonly submit_id: bigint | null;
  readonly upstream_message_id: string | null;
  /** Of a segment; null where the numbers of the task are gone. */
  readonly unit_price: bigint | null;
}

export interface UnknownFilters {
  readonly customerId?: CustomerId;
  readonly channelId?: bigint;
  readonly taskId?: TaskId;
}

const KEY = /^\d{1,18}(\.\d{1,19}){4}$/;

/** Deadline, customer, task, number and part, in the order of the list. */
export function isUnknownKey(text: string): boolean {
  return KEY.test(text) && text.split('.').every((part) => BigInt(part) < 2n ** 63n);
}

/** The most urgent first. */
export function listUnknown(sql: Sql, buckets: readonly number[], filters: UnknownFilters): ListSource<UnknownRecord> {
  return listOverBuckets(buckets, (bucket) => listUnknownOfBucket(sql, bucket, filters), byUrgency);
}

function byUrgency(one: UnknownRecord, other: UnknownRecord): number {
  const keys = [keyNumbers(one), keyNumbers(other)] as const;
  for (const [at, number] of keys[0].entries()) {
    const against = keys[1][at] ?? 0n;
    if (number !== against) return number < against ? -1 : 1;
  }
  return 0;
}

function keyNumbers({ deadline_us, customerId, task_id, seq, part }: UnknownRecord): bigint[] {
  return [deadline_us, customerId, task_id, seq, part].map(BigInt);
}

function listUnknownOfBucket(
  sql: Sql,
  bucket: number,
  { customerId, channelId, taskId }: UnknownFilters,
): ListSource<UnknownRecord> {
  const matching = () => sql`
    u.bucket = ${bucket}
    ${customerId === undefined ? sql`` : sql`and u.customer_id = ${customerId}`}
    ${channelId === undefined ? sql`` : sql`and u.channel_id = ${channelId}`}
    ${taskId === undefined ? sql`` : sql`and u.task_id = ${taskId}`}`;
  return {
    keyOf: (record) => keyNumbers(record).join('.'),
    async rows({ after, offset, limit }) {
      // The page is cut before anything is looked up for it: numbers are found by their phone, which has an index.
      const rows = await sql<(Omit<UnknownRecord, 'customerId'> & { customer_id: bigint })[]>`
        with page as materialized (
          select customer_id, task_id, seq, part, chunk_no, channel_id, phone_key, since, deadline from unknown_part u
          where ${matching()} ${after === undefined ? sql`` : sql`and ${isBehind(sql, after)}`}
          order by deadline, customer_id, task_id, seq, part offset ${offset} limit ${limit})
        select page.customer_id, page.task_id, page.seq, page.part, page.channel_id, since, deadline,
          (extract(epoch from deadline) * 1000000)::bigint as deadline_us, request_key, submitted_at, phone, wire.firm, parts,
          submit_id, upstream_message_id, unit_price
        from page
        left join task on task.bucket = ${bucket} and task.customer_id = page.customer_id and task.task_id = page.task_id
        left join chunk on chunk.bucket = ${bucket} and chunk.customer_id = page.customer_id
          and chunk.task_id = page.task_id and chunk.chunk_no = page.chunk_no
        left join lateral (
          select submitted_at, phone, firm, parts, submit_id, upstream_message_id from submit
          where submit.bucket = ${bucket} and submit.customer_id = page.customer_id and submit.phone_key = page.phone_key
            and submit.task_id = page.task_id and submit.seq = page.seq and submit.part = page.part
          order by submit_id desc limit 1) as wire on true
        order by deadline, page.customer_id, page.task_id, page.seq, page.part`;
      return rows.map(({ customer_id, ...row }) => ({ ...row, customerId: asCustomerId(customer_id) }));
    },
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (select 1 from unknown_part u where ${matching()} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}

function isBehind(sql: Sql, key: string) {
  const [deadlineUs = '', customerId = '', taskId = '', seq = '', part = ''] = key.split('.');
  return sql`
    (deadline, customer_id, task_id, seq, part) > (
      timestamptz 'epoch' + ${deadlineUs}::bigint * interval '1 microsecond', ${customerId}::bigint, ${taskId}::bigint,
      ${seq}::bigint, ${part}::bigint)`;
}
