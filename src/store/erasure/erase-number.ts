// Replaces a number in every table that has it, in small transactions. What has been replaced is not found again, so a run
// after an interruption continues where the other ended.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import type { ErasedNumber } from '../../domain/erasure.js';
import type { CustomerId, TaskId } from '../../domain/id.js';
import type { TaskKey } from '../../domain/task/task.js';
import { numericArray } from '../array-literal.js';
import type { Condition } from '../condition.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { Sql } from '../sql.js';

export interface EraseDeps {
  readonly sql: Sql;
  readonly signal: AbortSignal;
  readonly rest: () => Promise<unknown>;
  /** Counts rows of a table in which it was replaced. */
  readonly add: (table: string, rows: number) => Promise<void>;
}

export interface NumberToErase {
  /** E.164 without the plus sign: the key of the number. */
  readonly digits: string;
  /** How it may be written in a text, as a regular expression of PostgreSQL. */
  readonly pattern: string;
  readonly erased: ErasedNumber;
}

const ROWS_A_STEP = 500;
const CUSTOMERS_A_STEP = 200;
const IDS_A_STEP = 5000;
const ATTEMPTS_A_STEP = 200;

export async function eraseInBucket(deps: EraseDeps, bucket: number, number: NumberToErase): Promise<void> {
  await repeat(deps, () => eraseRecords(deps, bucket, 'submit', number));
  await repeat(deps, () => eraseRecords(deps, bucket, 'delivery', number));
  await repeat(deps, () => eraseReceipts(deps, bucket, number));
  await repeat(deps, () => eraseUplinks(deps, bucket, number));
  for (let last = 0n; ; ) {
    const customers = await deps.sql<{ id: bigint }[]>`
      select customer_id as id from account where bucket = ${bucket} and customer_id > ${last}
      order by customer_id limit ${CUSTOMERS_A_STEP}`;
    if (customers.length === 0) break;
    await eraseSettings(deps, bucket, numericArray(customers.map(({ id }) => id)), number);
    last = customers.at(-1)?.id ?? last;
  }
  await eraseAttempts(deps, bucket, number);
}

interface AttemptKey {
  readonly customerId: bigint;
  readonly webhookId: bigint;
  readonly slot: number;
}

/** Page by page: a bucket may have a hundred attempts of each of thousands of endpoints. */
async function eraseAttempts(
  { sql, signal, rest, add }: EraseDeps,
  bucket: number,
  { pattern, erased }: NumberToErase,
) {
  for (let after: AttemptKey | undefined = { customerId: 0n, webhookId: 0n, slot: -1 }; after !== undefined; ) {
    signal.throwIfAborted();
    await rest();
    const from: AttemptKey = after;
    const page = sql`
      bucket = ${bucket} and (customer_id, webhook_id, slot) > (${from.customerId}, ${from.webhookId}, ${from.slot})`;
    const [last]: AttemptKey[] = await sql<AttemptKey[]>`
      select customer_id as "customerId", webhook_id as "webhookId", slot from (
        select customer_id, webhook_id, slot from webhook_attempt where ${page}
        order by customer_id, webhook_id, slot limit ${ATTEMPTS_A_STEP}
      ) as p order by customer_id desc, webhook_id desc, slot desc limit 1`;
    if (last === undefined) return;
    const { count } = await sql`
      update webhook_attempt set request_body = regexp_replace(request_body, ${pattern}, ${erased.phone}, 'g'),
        response_body = regexp_replace(response_body, ${pattern}, ${erased.phone}, 'g')
      where ${page} and (customer_id, webhook_id, slot) <= (${last.customerId}, ${last.webhookId}, ${last.slot})
        and (request_body ~ ${pattern} or response_body ~ ${pattern})`;
    await add('webhook_attempt', count);
    after = last;
  }
}

async function repeat({ signal, rest }: EraseDeps, step: () => Promise<number>): Promise<void> {
  do {
    signal.throwIfAborted();
    await rest();
  } while ((await step()) >= ROWS_A_STEP);
}

/** Submits, and delivery reports that stand in no receipt. */
async function eraseRecords(
  { sql, add }: EraseDeps,
  bucket: number,
  table: 'submit' | 'delivery',
  { digits, erased }: NumberToErase,
): Promise<number> {
  const id = sql(`${table}_id`);
  const { count } = await sql`
    update ${sql(table)} r set phone = ${erased.phone}, phone_key = ${erased.phoneKey}
    from (
      select customer_id, ${id} as id from ${sql(table)} where bucket = ${bucket} and phone_key = ${digits} limit ${ROWS_A_STEP}
    ) as k
    where r.bucket = ${bucket} and r.customer_id = k.customer_id and r.${id} = k.id`;
  await add(table, count);
  return count;
}

const RECEIPTS = defineRows('k', { customerId: 'bigint', receiptId: 'bigint' });

/**
 * With the reports that stand in them. The texts and titles of their tasks come first: after an interruption the tasks are found by their
 * receipts.
 */
async function eraseReceipts(deps: EraseDeps, bucket: number, number: NumberToErase): Promise<number> {
  const { sql, add } = deps;
  const { digits, erased } = number;
  const receipts = await sql<{ customerId: CustomerId; receiptId: bigint; taskId: TaskId; hasReport: boolean }[]>`
    select customer_id as "customerId", receipt_id as "receiptId", task_id as "taskId", report_part is not null as "hasReport"
    from receipt
    where bucket = ${bucket} and phone_key = ${digits} limit ${ROWS_A_STEP}`;
  if (receipts.length === 0) return 0;
  await eraseTexts(deps, bucket, receipts, number);
  await sql`
    update receipt r set phone = ${erased.phone}, phone_key = ${erased.phoneKey} from ${RECEIPTS.unnest(sql, receipts)}
    where r.bucket = ${bucket} and r.customer_id = k.customer_id and r.receipt_id = k.receipt_id`;
  await add('receipt', receipts.length);
  await add('delivery', receipts.filter(({ hasReport }) => hasReport).length);
  return receipts.length;
}

/**
 * One task a statement: a transaction with the locks of several could deadlock with one that settles them, and the texts of hundreds may
 * be more than a statement can search.
 */
async function eraseTexts(
  { sql, signal, add }: EraseDeps,
  bucket: number,
  keys: readonly TaskKey[],
  { pattern, erased }: NumberToErase,
): Promise<void> {
  const tasks = new Map(keys.map((key) => [taskKeyOf(key), key]));
  let changed = 0;
  for (const { customerId, taskId } of tasks.values()) {
    signal.throwIfAborted();
    const { count } = await sql`
      update task set content = regexp_replace(content, ${pattern}, ${erased.phone}, 'g'),
        title = regexp_replace(title, ${pattern}, ${erased.phone}, 'g')
      where bucket = ${bucket} and customer_id = ${customerId} and task_id = ${taskId}
        and (content ~ ${pattern} or title ~ ${pattern})`;
    changed += count;
  }
  await add('task', changed);
}

async function eraseUplinks({ sql, add }: EraseDeps, bucket: number, number: NumberToErase): Promise<number> {
  const { digits, pattern, erased } = number;
  const { count } = await sql`
    update uplink u set phone = ${erased.phone}, phone_key = ${erased.phoneKey},
      content = regexp_replace(content, ${pattern}, ${erased.phone}, 'g')
    from (
      select customer_id, uplink_id from uplink where bucket = ${bucket} and phone_key = ${digits} limit ${ROWS_A_STEP}
    ) as k
    where u.bucket = ${bucket} and u.customer_id = k.customer_id and u.uplink_id = k.uplink_id`;
  await add('uplink', count);
  return count;
}

/** Opt-outs go on under the key of the hash; of two for one customer, one stays. */
async function eraseSettings({ sql, add }: EraseDeps, bucket: number, customers: string, number: NumberToErase) {
  const { digits, erased } = number;
  for (const table of ['opt_out', 'cap_exemption'] as const) {
    const rows = sql(table);
    const own = sql`t.bucket = ${bucket} and t.customer_id = any(${customers}::bigint[]) and t.phone_key = ${digits}`;
    const { count } = await sql`
      update ${rows} t set phone = ${erased.phone}, phone_key = ${erased.phoneKey}
      where ${own} and not exists (
        select 1 from ${rows} e
        where e.bucket = ${bucket} and e.customer_id = t.customer_id and e.phone_key = ${erased.phoneKey})`;
    const gone = await sql`delete from ${rows} t where ${own}`;
    await add(table, count + gone.count);
  }
  const { count } = await sql`
    update cap_use t set phone_key = ${erased.phoneKey}
    where t.bucket = ${bucket} and t.customer_id = any(${customers}::bigint[]) and t.phone_key = ${digits}`;
  await add('cap_use', count);
}

/** What belongs to no customer: tests of channels, unmatched reports, unclaimed inbound messages, the audit log. */
export async function eraseElsewhere(deps: EraseDeps, { pattern, erased }: NumberToErase): Promise<void> {
  const { sql, add } = deps;
  const { phone } = erased;
  const tests = await sql`
    update channel_test set phone = ${phone}, text = regexp_replace(text, ${pattern}, ${phone}, 'g') where phone ~ ${pattern}`;
  await add('channel_test', tests.count);
  await eraseByIds(
    deps,
    'unmatched_report',
    'report_id',
    (ids) => sql`
    update unmatched_report set phone = ${phone} where ${ids} and phone ~ ${pattern}`,
  );
  await eraseByIds(
    deps,
    'unclaimed_uplink',
    'unclaimed_uplink_id',
    (ids) => sql`
    update unclaimed_uplink set sender = ${phone}, content = regexp_replace(content, ${pattern}, ${phone}, 'g')
    where ${ids} and sender ~ ${pattern}`,
  );
  await eraseByIds(
    deps,
    'audit',
    'audit_id',
    (ids) => sql`
    update audit set subject = regexp_replace(subject, ${pattern}, ${phone}, 'g'),
      change = regexp_replace(change::text, ${pattern}, ${phone}, 'g')::jsonb
    where ${ids} and (subject ~ ${pattern} or change::text ~ ${pattern})`,
  );
}

/** Slice by slice of its ids. */
async function eraseByIds(
  { sql, signal, rest, add }: EraseDeps,
  table: string,
  column: string,
  erase: (ids: Condition) => PromiseLike<{ readonly count: number }>,
): Promise<void> {
  const [span] = await sql<{ first: bigint | null; last: bigint | null }[]>`
    select min(${sql(column)}) as first, max(${sql(column)}) as last from ${sql(table)}`;
  if (span?.first == null || span.last == null) return;
  for (let from = span.first; from <= span.last; from += BigInt(IDS_A_STEP)) {
    signal.throwIfAborted();
    await rest();
    const { count } = await erase(sql`${sql(column)} >= ${from} and ${sql(column)} < ${from + BigInt(IDS_A_STEP)}`);
    await add(table, count);
  }
}
