// Proof that the money adds up. History is read in slices, one statement each, so that no snapshot is older than a slice. Proofs of
// closed slices are stored: the next audit reads what is new, the open rest and a sample, a full one reads everything and compares.

import { groupBy } from '../../domain/group-by.js';
import type { AnySql, Sql } from '../sql.js';
import { proveEntries, proveTasks } from './audit-customer.js';
import { type EntrySlice, readEntrySlices } from './audit-entries.js';
import { finishFullRun, type Proof, readProofs, startFullRun } from './audit-proofs.js';
import type { AuditOptions, AuditResult, AuditRun, Imbalance, Totals } from './audit-run.js';
import { readTaskSlices, type TaskSlice } from './audit-tasks.js';

/** A statement of a fraction of a second. */
const ENTRIES_A_SLICE = 10_000;
const TASKS_A_SLICE = 500;
const NUMBERS_A_SLICE = 50_000;
/** Longer than clocks differ and requests take: no task with an earlier id comes any more. */
const CLOSED_AFTER_MS = 24 * 3_600_000;
/** Customers with little history share a statement. */
const CUSTOMERS_A_STATEMENT = 50;
const LAST_ID = 2n ** 63n - 1n;
/** Later than any proof. */
const END_OF_TIME = new Date(8.64e15);

export async function auditMoney(sql: Sql, options: AuditOptions): Promise<AuditResult> {
  const totals: Totals = {
    imbalances: [],
    read: { entries: 0, tasks: 0 },
    notRead: { slices: 0, entries: 0, tasks: 0, oldestProof: null },
  };
  const isReadOnly = await readIsReadOnly(sql);
  const full = options.isFull && !isReadOnly ? await startFullRun(sql) : undefined;
  const shared = {
    sql,
    fullSince: options.isFull ? (full?.startedAt ?? END_OF_TIME) : undefined,
    isReadOnly,
    entriesASlice: options.entriesASlice ?? ENTRIES_A_SLICE,
    limits: {
      tasks: options.tasksASlice ?? TASKS_A_SLICE,
      numbers: NUMBERS_A_SLICE,
      closedAfterMs: options.closedAfterMs ?? CLOSED_AFTER_MS,
      receiptsKeptFrom: await readReceiptsKeptFrom(sql),
    },
    totals,
  };
  const ofCustomers = await countAccounts(sql);
  let customers = 0;
  const checkpoint = async () => {
    options.signal?.throwIfAborted();
    await options.onProgress?.({ customers, ofCustomers, ...totals.read });
  };
  for (const { bucket } of await sql<{ bucket: number }[]>`select bucket from bucket order by bucket`) {
    for (let page = await readAccounts(sql, bucket, 0n); page.length > 0; ) {
      await proveCustomers({ ...shared, bucket, checkpoint }, page);
      customers += page.length;
      page = await readAccounts(sql, bucket, page.at(-1) ?? LAST_ID);
    }
  }
  if (full !== undefined) await finishFullRun(sql, full.startedAt);
  return { ...totals, continuedFrom: full?.isContinued === true ? full.startedAt : null };
}

/** What a full audit finds. */
export async function auditAll(sql: Sql): Promise<readonly Imbalance[]> {
  return (await auditMoney(sql, { isFull: true })).imbalances;
}

/** Those whose whole history fits are proved together; the others one by one. */
async function proveCustomers(run: AuditRun, customerIds: readonly bigint[]): Promise<void> {
  await run.checkpoint();
  const { sql, bucket, limits } = run;
  const proofs = groupBy(await readProofs(sql, bucket, customerIds), ({ customerId }) => customerId);
  const unproved = customerIds.filter((customerId) => !proofs.has(customerId));
  const ranges = unproved.map((customerId) => ({
    customerId,
    afterId: 0n,
    untilId: LAST_ID,
    available: 0n,
    frozen: 0n,
  }));
  const share = (limit: number) => Math.ceil(limit / CUSTOMERS_A_STATEMENT);
  const [entriesEach, tasksEach] = [share(run.entriesASlice), share(limits.tasks)];
  const shared = { ...limits, tasks: tasksEach, numbers: share(limits.numbers) };
  const entries = indexSlices(await readEntrySlices(sql, bucket, ranges, entriesEach));
  const tasks = indexSlices(await readTaskSlices(sql, bucket, ranges, shared));
  for (const customerId of customerIds) {
    const known = proofs.get(customerId) ?? [];
    const ofKind = (kind: Proof['kind']) => known.filter((proof) => proof.kind === kind);
    const ofEntries: EntrySlice | undefined = entries.get(customerId);
    const ofTasks: TaskSlice | undefined = tasks.get(customerId);
    await proveEntries(run, customerId, ofKind('entries'), isWhole(ofEntries, entriesEach) ? ofEntries : undefined);
    const isAllTasks = isWhole(ofTasks, tasksEach) && ofTasks?.isCut === false;
    await proveTasks(run, customerId, ofKind('tasks'), isAllTasks ? ofTasks : undefined);
  }
}

function indexSlices<Slice extends { readonly customerId: bigint }>(slices: readonly Slice[]): Map<bigint, Slice> {
  return new Map(slices.map((slice) => [slice.customerId, slice]));
}

function isWhole(slice: { readonly rows: number } | undefined, limit: number): boolean {
  return slice !== undefined && slice.rows < limit;
}

async function readAccounts(sql: Sql, bucket: number, after: bigint): Promise<bigint[]> {
  const rows = await sql<{ customer_id: bigint }[]>`
    select customer_id from account where bucket = ${bucket} and customer_id > ${after}
    order by customer_id limit ${CUSTOMERS_A_STATEMENT}`;
  return rows.map((row) => row.customer_id);
}

async function countAccounts(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from account`;
  return row?.count ?? 0;
}

async function readIsReadOnly(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ setting: string }[]>`select current_setting('transaction_read_only') as setting`;
  return row?.setting === 'on';
}

/** Months of receipts that were dropped took the receipts of their tasks with them. */
async function readReceiptsKeptFrom(sql: Sql): Promise<bigint> {
  const [row] = await sql<{ first: bigint }[]>`
    select coalesce(min(substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \\(''(\\d+)')::bigint), 0) as first
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'receipt'::regclass`;
  return row?.first ?? 0n;
}

/** The rules that cost one look a customer: the account stands where its last entry left it. */
export async function auditLastEntries(sql: AnySql): Promise<Imbalance[]> {
  return await sql<Imbalance[]>`
    select a.customer_id as "customerId", 'the account stands where its last entry left it' as rule,
      format('available %s, after the last entry %s; frozen %s, after the last entry %s', a.available,
        coalesce(e.available_after, 0), a.frozen, coalesce(e.frozen_after, 0)) as detail
    from account a
    left join lateral (
      select seq, available_after, frozen_after from ledger_entry l
      where l.bucket = a.bucket and l.customer_id = a.customer_id order by seq desc limit 1
    ) as e on true
    where a.entry_seq <> coalesce(e.seq, 0) or a.available <> coalesce(e.available_after, 0)
      or a.frozen <> coalesce(e.frozen_after, 0)`;
}
