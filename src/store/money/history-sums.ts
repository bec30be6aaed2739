// The sums over a customer's history and how far they reach. Receipts and entries are numbered under the lock of the account:
// a reader that sees one row sees all before it, so a position is all that it has to remember.

import { asCustomerId, type CustomerId } from '../../domain/id.js';
import { CANCELLED_CODES } from '../../domain/record/receipt-codes.js';
import { numericArray, textArray } from '../array-literal.js';
import { bucketRow } from '../bucket.js';
import type { Condition } from '../condition.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql } from '../sql.js';
import { selectTask } from '../task/task-lookup.js';

export interface Reader {
  readonly customerId: CustomerId;
  readonly receiptId: bigint;
  readonly entrySeq: bigint;
  readonly entryDay: string | null;
  /** No receipt of an earlier id can come any more. */
  readonly recordId: bigint;
}

/** A stretch of a customer's history: behind the one, up to the other. */
interface Stretch {
  readonly customerId: CustomerId;
  readonly after: bigint;
  readonly until: bigint;
  readonly count: number;
}

const PLACES = defineRows('k', { customerId: 'bigint', after: 'bigint' });
const STRETCHES = defineRows('k', { customerId: 'bigint', after: 'bigint', until: 'bigint' });
const DAYS = defineRows('d', { customerId: 'bigint', day: 'text' });
export const ZONES = defineRows('c', { customerId: 'bigint', zone: 'text' });
const CLASSES = defineRows('m', { templateId: 'bigint', class: 'text' });

/** Customers with rows that are not in the sums yet, in the order of their ids. */
export async function readUnsummed(
  sql: AnySql,
  bucket: number,
  after: CustomerId | 0n,
  limit: number,
): Promise<CustomerId[]> {
  const rows = await sql<{ customer_id: bigint }[]>`
    select a.customer_id from account a
    left join history_reader r on r.bucket = a.bucket and r.customer_id = a.customer_id
    where a.bucket = ${bucket} and a.customer_id > ${after}
      and (a.record_id > coalesce(r.receipt_id, 0) or a.entry_seq > coalesce(r.entry_seq, 0))
    order by a.customer_id limit ${limit}`;
  return rows.map((row) => asCustomerId(row.customer_id));
}

/** Nothing that was committed before is missing in the sums. */
export async function isSummedUp(sql: AnySql, bucket: number, customerId: CustomerId): Promise<boolean> {
  const rows = await sql`
    select a.customer_id from account a
    join history_reader r on r.bucket = a.bucket and r.customer_id = a.customer_id
    where a.bucket = ${bucket} and a.customer_id = ${customerId}
      and a.record_id <= r.receipt_id and a.entry_seq <= r.entry_seq`;
  return rows.length > 0;
}

/** Without those that another process is summing, unless it waits for them. */
export async function lockReaders(
  tx: AnySql,
  bucket: number,
  customerIds: readonly CustomerId[],
  isWaiting: boolean,
): Promise<Reader[]> {
  const ids = numericArray(customerIds);
  await tx`
    insert into history_reader (bucket, customer_id)
    select bucket, customer_id from account where bucket = ${bucket} and customer_id = any(${ids}::bigint[])
    order by customer_id
    on conflict do nothing`;
  return await tx<Reader[]>`
    select r.customer_id as "customerId", r.receipt_id as "receiptId", r.entry_seq as "entrySeq",
      r.entry_day::text as "entryDay", a.record_id as "recordId"
    from history_reader r join account a on a.bucket = r.bucket and a.customer_id = r.customer_id
    where r.bucket = ${bucket} and r.customer_id = any(${ids}::bigint[])
    order by r.customer_id
    for update of r ${isWaiting ? tx`` : tx`skip locked`}`;
}

/** How far the next rows of a table go behind the places `k`, at most so many of each customer. */
async function readStretches(
  tx: AnySql,
  bucket: number,
  [table, id]: readonly ['receipt', 'receipt_id'] | readonly ['ledger_entry', 'seq'],
  places: Condition,
  limit: number,
): Promise<Stretch[]> {
  return await tx<Stretch[]>`
    select k.customer_id as "customerId", k.after, max(page.id) as until, count(*)::int as count
    from ${places}
    cross join lateral (
      select ${tx(id)} as id from ${tx(table)}
      where bucket = ${bucket} and customer_id = k.customer_id and ${tx(id)} > k.after
      order by ${tx(id)} limit ${limit}
    ) as page
    group by k.customer_id, k.after`;
}

/** Adds the next receipts of each customer to the sums, at most so many; true when there may be more. */
export async function sumReceipts(
  tx: AnySql,
  bucket: number,
  readers: readonly Reader[],
  limit: number,
): Promise<boolean> {
  const stretches = await readStretches(
    tx,
    bucket,
    ['receipt', 'receipt_id'],
    PLACES.unnest(tx, readers, { after: readers.map(({ receiptId }) => receiptId) }),
    limit,
  );
  if (stretches.length > 0) {
    const zones = await readZones(tx, stretches);
    await addReceipts(tx, bucket, stretches, zones);
    await addTraffic(tx, bucket, stretches, zones);
  }
  const found = new Map(stretches.map((stretch) => [stretch.customerId, stretch]));
  const reached = readers.map(({ customerId, recordId }) => {
    const { until = 0n, count = 0 } = found.get(customerId) ?? {};
    return count === limit || until > recordId ? until : recordId;
  });
  await tx`
    update history_reader r set receipt_id = k.after
    from ${PLACES.unnest(tx, readers, { after: reached })}
    where r.bucket = ${bucket} and r.customer_id = k.customer_id and r.receipt_id < k.after`;
  return stretches.some(({ count }) => count === limit);
}

async function addReceipts(
  tx: AnySql,
  bucket: number,
  stretches: readonly Stretch[],
  zones: readonly CustomerZone[],
): Promise<void> {
  await tx`
    insert into receipt_sum (bucket, customer_id, series, grain, at, key, delivered, undelivered, expired, rejected,
      cancelled, handed_over, parts, charged)
    select b.bucket, f.customer_id, s.series, g.grain, g.at, s.key, sum(delivered)::bigint, sum(undelivered)::bigint,
      sum(expired)::bigint, sum(rejected)::bigint, sum(cancelled)::bigint, sum(handed_over)::bigint, sum(parts)::bigint,
      sum(charged)::bigint
    from ${bucketRow(tx, bucket)}
    cross join (
      select r.customer_id, ${quarterOf(tx)} as quarter, coalesce(t.template_id, 0)::text as template,
        coalesce(r.firm, '') as firm, coalesce(r.code, '') as code, ${countsOf(tx)}
      from ${STRETCHES.unnest(tx, stretches)}
      cross join lateral (
        select * from receipt
        where bucket = ${bucket} and customer_id = k.customer_id and receipt_id > k.after and receipt_id <= k.until
      ) as r
      left join lateral (
        ${selectTask(tx, bucket, { customerId: tx`r.customer_id`, taskId: tx`r.task_id` })}
      ) as t on true
      group by 1, 2, 3, 4, 5
    ) as f
    left join ${ZONES.unnest(tx, zones)} on c.customer_id = f.customer_id
    cross join lateral (
      values ('all', ''), ('template', f.template), ('firm', f.firm), ('code', f.code)) as s (series, key)
    cross join lateral ${grainsOf(tx)}
    group by b.bucket, f.customer_id, s.series, g.grain, g.at, s.key
    on conflict (bucket, customer_id, series, grain, at, key) do update set
      delivered = receipt_sum.delivered + excluded.delivered, undelivered = receipt_sum.undelivered + excluded.undelivered,
      expired = receipt_sum.expired + excluded.expired, rejected = receipt_sum.rejected + excluded.rejected,
      cancelled = receipt_sum.cancelled + excluded.cancelled, handed_over = excluded.handed_over
        + coalesce(receipt_sum.handed_over, receipt_sum.delivered + receipt_sum.undelivered + receipt_sum.expired),
      parts = receipt_sum.parts + excluded.parts, charged = receipt_sum.charged + excluded.charged`;
}

/**
 * By channel, firm, class and price. Receipts are grouped before their tasks are looked up: a task has many. Classes are read before:
 * with a reference table in it, Citus runs the insert on every shard and commits in two phases.
 */
async function addTraffic(
  tx: AnySql,
  bucket: number,
  stretches: readonly Stretch[],
  zones: readonly CustomerZone[],
): Promise<void> {
  const classes = await tx<{ templateId: bigint; class: string }[]>`
    select template_id as "templateId", class from template
    where customer_id = any(${numericArray(stretches.map(({ customerId }) => customerId))}::bigint[]) and class <> 'notice'`;
  await tx`
    insert into traffic_sum (bucket, customer_id, grain, at, channel_id, firm, class, unit_price, numbers, parts, delivered,
      charged, refunded, cost, charged_numbers, charged_parts)
    select b.bucket, f.customer_id, g.grain, g.at, f.channel_id, f.firm, coalesce(m.class, 'notice'), f.unit_price,
      sum(f.numbers)::bigint, sum(f.parts)::bigint, sum(f.delivered)::bigint, sum(f.charged)::bigint,
      coalesce(sum(f.failed) filter (where t.refund_on_failure and t.charge_on = 'submit'), 0)::bigint, sum(f.cost)::bigint,
      sum(f.charged_numbers)::bigint, sum(f.charged_parts)::bigint
    from ${bucketRow(tx, bucket)}
    cross join (
      select r.customer_id, r.task_id, ${quarterOf(tx)} as quarter, coalesce(r.channel_id, 0) as channel_id,
        coalesce(r.firm, '') as firm, r.price / greatest(r.parts, 1) as unit_price, count(*) as numbers,
        sum(r.parts) as parts, count(*) filter (where r.result = 'delivered') as delivered,
        coalesce(sum(r.price) filter (where r.is_charged), 0) as charged,
        coalesce(sum(r.price) filter (where r.is_charged and r.result <> 'delivered'), 0) as failed,
        coalesce(sum(r.cost), 0) as cost, count(*) filter (where r.is_charged) as charged_numbers,
        coalesce(sum(r.parts) filter (where r.is_charged), 0) as charged_parts
      from ${STRETCHES.unnest(tx, stretches)}
      cross join lateral (
        select * from receipt
        where bucket = ${bucket} and customer_id = k.customer_id and receipt_id > k.after and receipt_id <= k.until
      ) as r
      group by 1, 2, 3, 4, 5, 6
    ) as f
    left join lateral (
      ${selectTask(tx, bucket, { customerId: tx`f.customer_id`, taskId: tx`f.task_id` })}
    ) as t on true
    left join ${CLASSES.unnest(tx, classes)} on m.template_id = t.template_id
    left join ${ZONES.unnest(tx, zones)} on c.customer_id = f.customer_id
    cross join lateral ${grainsOf(tx)}
    group by b.bucket, f.customer_id, g.grain, g.at, f.channel_id, f.firm, coalesce(m.class, 'notice'), f.unit_price
    on conflict (bucket, customer_id, grain, at, channel_id, firm, class, unit_price) do update set
      numbers = traffic_sum.numbers + excluded.numbers, parts = traffic_sum.parts + excluded.parts,
      delivered = traffic_sum.delivered + excluded.delivered, charged = traffic_sum.charged + excluded.charged,
      refunded = traffic_sum.refunded + excluded.refunded, cost = traffic_sum.cost + excluded.cost,
      charged_numbers = traffic_sum.charged_numbers + excluded.charged_numbers,
      charged_parts = traffic_sum.charged_parts + excluded.charged_parts`;
}

interface CustomerZone {
  readonly customerId: CustomerId;
  readonly zone: string;
}

/** The billing time zones other than UTC. Read before, as classes are. */
export async function readZones(
  tx: AnySql,
  customers: readonly { readonly customerId: CustomerId }[],
): Promise<CustomerZone[]> {
  return await tx<CustomerZone[]>`
    select customer_id as "customerId", billing_time_zone as zone from customer
    where customer_id = any(${numericArray(customers.map(({ customerId }) => customerId))}::bigint[])
      and billing_time_zone <> 'UTC'`;
}

/** Every clock is ahead of UTC by whole quarters of an hour. */
function quarterOf(sql: AnySql) {
  return sql`(r.receipt_id >> 20) / 900000`;
}

/**
 * The hour and the day of a quarter `f` in the time zone of its customer `c`. An hour is an instant. A day is a date, written as midnight UTC,
 * so that it stays what it was when the customer moves to another time zone.
 */
function grainsOf(sql: AnySql) {
  const at = sql`to_timestamp(f.quarter * 900)`;
  const local = sql`timezone(coalesce(c.zone, 'UTC'), ${at})`;
  return sql`
    (values ('hour', ${hourOf(sql, at, local)}), ('day', timezone('UTC', date_trunc('day', ${local})))) as g (grain, at)`;
}

/** The instant at which the hour began that a clock shows. */
export function hourOf(sql: AnySql, at: Condition, local: Condition): Condition {
  return sql`${at} - (${local} - date_trunc('hour', ${local}))`;
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
    count(*) filter (where r.result = 'rejected' and (r.submitted_at is not null or coalesce(r.code, '') <> all (${CANCELLED}::text[])))::bigint
      as rejected,
    count(*) filter (where r.result = 'rejected' and r.submitted_at is null and r.code = any (${CANCELLED}::text[]))::bigint
      as cancelled,
    count(*) filter (where r.result <> 'rejected' or r.submitted_at is not null)::bigint as handed_over,
    sum(r.parts)::bigint as parts,
    coalesce(sum(r.price) filter (where coalesce(r.is_charged, case
      when t.charge_on = 'delivery' then r.result = 'delivered'
      when t.charge_on = 'submit' then r.result <> 'rejected' or r.done_at is not null end)), 0)::bigint as charged`;
}

/** Of ours, where nothing was handed over: a carrier may use the same words. */
const CANCELLED = textArray(CANCELLED_CODES);

/** Adds the next entries of each customer's ledger to the sums, at most so many; true when there may be more. */
export async function sumEntries(
  tx: AnySql,
  bucket: number,
  readers: readonly Reader[],
  limit: number,
): Promise<boolean> {
  const places = PLACES.unnest(tx, readers, { after: readers.map(({ entrySeq }) => entrySeq) });
  const stretches = await readStretches(tx, bucket, ['ledger_entry', 'seq'], places, limit);
  if (stretches.length === 0) return false;
  const zones = await readZones(tx, stretches);
  const days = readers.map(({ customerId, entryDay: day }) => ({ customerId, day }));
  // Days only go forward, as the numbers do.
  const dated = tx`
    select e.customer_id, e.seq, e.type, e.amount, e.task_id, greatest(d.day::date,
      max(timezone(coalesce(c.zone, 'UTC'), e.created_at)::date) over (partition by e.customer_id order by e.seq)) as day
    from ${STRETCHES.unnest(tx, stretches)}
    left join ${ZONES.unnest(tx, zones)} on c.customer_id = k.customer_id
    join ${DAYS.unnest(tx, days)} on d.customer_id = k.customer_id
    cross join lateral (
      select * from ledger_entry
      where bucket = ${bucket} and customer_id = k.customer_id and seq > k.after and seq <= k.until
    ) as e`;
  await tx`
    insert into ledger_sum (bucket, customer_id, day, type, template_id, entries, amount)
    select b.bucket, e.customer_id, e.day, e.type, coalesce(t.template_id, 0), count(*), sum(e.amount)::bigint
    from ${bucketRow(tx, bucket)} cross join (${dated}) as e
    left join lateral (
      ${selectTask(tx, bucket, { customerId: tx`e.customer_id`, taskId: tx`e.task_id` })}
    ) as t on true
    group by b.bucket, e.customer_id, e.day, e.type, coalesce(t.template_id, 0)
    on conflict (bucket, customer_id, day, type, template_id) do update set
      entries = ledger_sum.entries + excluded.entries, amount = ledger_sum.amount + excluded.amount`;
  await tx`
    insert into ledger_day (bucket, customer_id, day, last_seq)
    select b.bucket, e.customer_id, e.day, max(e.seq)
    from ${bucketRow(tx, bucket)} cross join (${dated}) as e
    group by b.bucket, e.customer_id, e.day
    on conflict (bucket, customer_id, day) do update set last_seq = excluded.last_seq`;
  await tx`
    update history_reader r set entry_seq = k.until, entry_day = (
      select max(day) from ledger_day d where d.bucket = ${bucket} and d.customer_id = k.customer_id)
    from ${STRETCHES.unnest(tx, stretches)}
    where r.bucket = ${bucket} and r.customer_id = k.customer_id`;
  return stretches.some(({ count }) => count === limit);
}
