// The sums over a customer's history and how far they reach. Receipts and entries are numbered under the lock of the account:
// whoever sees one sees all before it, so that a position in them is all a reader has to remember.

import { asCustomerId, type CustomerId } from '../domain/id.js';
import type { Tenant } from '../domain/ledger.js';
import { bucketRow } from './bucket.js';
import type { AnySql } from './connect.js';
import { ownRows } from './lists/condition.js';

export interface Reader {
  readonly receiptId: bigint;
  readonly entrySeq: bigint;
  readonly entryDay: string | null;
  /** No receipt of an earlier id can come any more. */
  readonly recordId: bigint;
}

/** Customers of whom something is not in the sums yet. */
export async function readUnsummed(sql: AnySql, bucket: number, limit: number): Promise<CustomerId[]> {
  const rows = await sql<{ customer_id: bigint }[]>`
    select a.customer_id from account a
    left join history_reader r on r.bucket = a.bucket and r.customer_id = a.customer_id
    where a.bucket = ${bucket}
      and (a.record_id > coalesce(r.receipt_id, 0) or a.entry_seq > coalesce(r.entry_seq, 0))
    limit ${limit}`;
  return rows.map((row) => asCustomerId(row.customer_id));
}

/** Undefined when another process is at it, unless it is waited for. */
export async function lockReader(
  tx: AnySql,
  { bucket, customerId }: Tenant,
  isWaiting: boolean,
): Promise<Reader | undefined> {
  await tx`
    insert into history_reader (bucket, customer_id)
    select bucket, customer_id from account where bucket = ${bucket} and customer_id = ${customerId}
    on conflict do nothing`;
  const [row] = await tx<Reader[]>`
    select r.receipt_id as "receiptId", r.entry_seq as "entrySeq", r.entry_day::text as "entryDay",
      a.record_id as "recordId"
    from history_reader r join account a on a.bucket = r.bucket and a.customer_id = r.customer_id
    where r.bucket = ${bucket} and r.customer_id = ${customerId}
    for update of r ${isWaiting ? tx`` : tx`skip locked`}`;
  return row;
}

/** Adds the next receipts to the sums; true when there may be more. */
export async function sumReceipts(tx: AnySql, tenant: Tenant, reader: Reader, limit: number): Promise<boolean> {
  const own = ownRows(tx, tenant);
  const [next] = await tx<{ until: bigint | null; count: number }[]>`
    select max(receipt_id) as until, count(*)::int as count from (
      select receipt_id from receipt where ${own} and receipt_id > ${reader.receiptId}
      order by receipt_id limit ${limit}) as page`;
  const isFull = next?.count === limit;
  const until = next?.until ?? 0n;
  if (until > 0n) await addReceipts(tx, tenant, reader.receiptId, until);
  const reached = isFull || until > reader.recordId ? until : reader.recordId;
  if (reached > reader.receiptId) await tx`update history_reader set receipt_id = ${reached} where ${own}`;
  return isFull;
}

async function addReceipts(tx: AnySql, { bucket, customerId }: Tenant, after: bigint, until: bigint): Promise<void> {
  await tx`
    insert into receipt_sum (bucket, customer_id, series, grain, at, key, delivered, undelivered, expired, rejected, parts,
      charged)
    select b.bucket, ${customerId}, s.series, g.grain, g.at, s.key, sum(delivered)::bigint, sum(undelivered)::bigint,
      sum(expired)::bigint, sum(rejected)::bigint, sum(parts)::bigint, sum(charged)::bigint
    from ${bucketRow(tx, bucket)}
    cross join (
      select (r.receipt_id >> 20) / 3600000 as hour, coalesce(t.template_id, 0)::text as template,
        coalesce(r.firm, '') as firm, coalesce(r.code, '') as code, ${countsOf(tx)}
      from receipt r left join task t on t.bucket = r.bucket and t.customer_id = r.customer_id and t.task_id = r.task_id
      where r.bucket = ${bucket} and r.customer_id = ${customerId} and r.receipt_id > ${after} and r.receipt_id <= ${until}
      group by 1, 2, 3, 4
    ) as f
    cross join lateral (
      values ('all', ''), ('template', f.template), ('firm', f.firm), ('code', f.code)) as s (series, key)
    cross join lateral (
      values ('hour', to_timestamp(f.hour * 3600)), ('day', to_timestamp(f.hour / 24 * 86400))) as g (grain, at)
    group by b.bucket, s.series, g.grain, g.at, s.key
    on conflict (bucket, customer_id, series, grain, at, key) do update set
      delivered = receipt_sum.delivered + excluded.delivered, undelivered = receipt_sum.undelivered + excluded.undelivered,
      expired = receipt_sum.expired + excluded.expired, rejected = receipt_sum.rejected + excluded.rejected,
      parts = receipt_sum.parts + excluded.parts, charged = receipt_sum.charged + excluded.charged`;
}

/**
 * What receipts `r` of tasks `t` add up to. In receipts from before it was written down, who was charged follows from the
 * terms: the carrier reports only what it accepted.
 */
export function countsOf(sql: AnySql) {
  return sql`
    count(*) filter (where r.result = 'delivered')::bigint as delivered,
    count(*) filter (where r.result = 'undelivered')::bigint as undelivered,
    count(*) filter (where r.result = 'expired')::bigint as expired,
    count(*) filter (where r.result = 'rejected')::bigint as rejected,
    sum(r.parts)::bigint as parts,
    coalesce(sum(r.price) filter (where coalesce(r.is_charged, case t.charge_on
      when 'delivery' then r.result = 'delivered'
      when 'submit' then r.result <> 'rejected' or r.done_at is not null end)), 0)::bigint as charged`;
}

/** Adds the next entries of the ledger to the sums; true when there may be more. */
export async function sumEntries(tx: AnySql, tenant: Tenant, reader: Reader, limit: number): Promise<boolean> {
  const own = ownRows(tx, tenant);
  const { bucket, customerId } = tenant;
  const [next] = await tx<{ until: bigint | null; count: number }[]>`
    select max(seq) as until, count(*)::int as count from (
      select seq from ledger_entry where ${own} and seq > ${reader.entrySeq} order by seq limit ${limit}) as page`;
  const until = next?.until ?? null;
  if (until === null) return false;
  // Days only go forward, as the numbers do.
  const dated = tx`
    select seq, type, amount, task_id, greatest(${reader.entryDay}::date, max((created_at at time zone 'UTC')::date)
      over (order by seq)) as day
    from ledger_entry where ${own} and seq > ${reader.entrySeq} and seq <= ${until}`;
  await tx`
    insert into ledger_sum (bucket, customer_id, day, type, template_id, entries, amount)
    select b.bucket, ${customerId}, e.day, e.type, coalesce(t.template_id, 0), count(*), sum(e.amount)::bigint
    from ${bucketRow(tx, bucket)} cross join (${dated}) as e
    left join task t on t.bucket = ${bucket} and t.customer_id = ${customerId} and t.task_id = e.task_id
    group by b.bucket, e.day, e.type, coalesce(t.template_id, 0)
    on conflict (bucket, customer_id, day, type, template_id) do update set
      entries = ledger_sum.entries + excluded.entries, amount = ledger_sum.amount + excluded.amount`;
  await tx`
    insert into ledger_day (bucket, customer_id, day, last_seq)
    select b.bucket, ${customerId}, e.day, max(e.seq)
    from ${bucketRow(tx, bucket)} cross join (${dated}) as e
    group by b.bucket, e.day
    on conflict (bucket, customer_id, day) do update set last_seq = excluded.last_seq`;
  await tx`
    update history_reader set entry_seq = ${until}, entry_day = (
      select max(day) from ledger_day where ${own})
    where ${own}`;
  return next?.count === limit;
}
