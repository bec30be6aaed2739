import { expect, onTestFinished, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import { moneyFromMillionths } from '../../../src/domain/money/money.js';
import type { DeliveryEvent } from '../../../src/domain/outcome/delivery-event.js';
import { createRecorder, recordAll } from '../../../src/pipeline/settle/recorder.js';
import { isDistributed } from '../../../src/store/cluster/distribution.js';
import { creditAccount } from '../../../src/store/money/credit.js';
import type { Sql } from '../../../src/store/sql.js';
import { createTestDatabase } from '../../support/database.js';
import { findLockWaits } from '../../support/lock-waits.js';
import { chunkOf } from '../../support/model/chunk-of.js';
import { until } from '../../support/until.js';

function createReport(customerId = 1n): DeliveryEvent {
  const numbers = { seq: [1], phone: ['13800000000'], to: ['8613800000000'], text: 'Hello', parts: [1] };
  const chunk = chunkOf({ customerId: asCustomerId(customerId), taskId: asTaskId(1n), queueNo: 0n, numbers });
  return { chunk, index: 0, part: 1, event: { kind: 'reported', status: 'delivered' }, channelId: 1n };
}

test('once this process has closed its connections, nothing waits for the database any more', async () => {
  const database = await createTestDatabase();
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const { signal } = new AbortController();
  const recorder = createRecorder({ sql: database.sql, limits, concurrency: 1, signal });
  // A stop that finds the database silent closes them before it asks anybody to be patient no longer.
  await database.drop();
  await expect(recordAll(recorder, [createReport()])).rejects.toMatchObject({ code: 'CONNECTION_ENDED' });
  await recorder.idle();
});

test('what is recorded concurrently does not wait for the transaction under way, and a stop waits for it', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  await database.sql`insert into account (bucket, customer_id) values (0, 1), (0, 2)`;
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const recorder = createRecorder({ sql: database.sql, limits, concurrency: 1, signal: new AbortController().signal });
  const order: string[] = [];
  // Another transaction holds the first account.
  await database.sql.begin(async (tx) => {
    await tx`select 1 from account where bucket = 0 and customer_id = 1 for update`;
    void recorder.record([createReport()]).then(() => order.push('batched'));
    await recorder.record([createReport(2n)], { mode: 'concurrent' });
    order.push('concurrent');
  });
  void recorder.record([createReport(2n)], { mode: 'concurrent' }).then(() => order.push('concurrent again'));
  await recorder.idle();
  expect([order[0], order.length]).toEqual(['concurrent', 3]);
});

test('what is recorded in isolation is written in its own transaction, in its order', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  await database.sql`insert into account (bucket, customer_id) values (0, 1)`;
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const { signal } = new AbortController();
  const commits: number[] = [];
  const onCommit = (deliveryEvents: number) => void commits.push(deliveryEvents);
  const recorder = createRecorder({ sql: database.sql, limits, concurrency: 1, signal, onCommit });
  const reports = (count: number) => Array.from({ length: count }, () => createReport());
  void recorder.record(reports(1));
  void recorder.record(reports(2));
  void recorder.record(reports(4), { mode: 'isolated' });
  void recorder.record(reports(8));
  await recorder.idle();
  expect(commits).toEqual([3, 4, 8]);
});

test('a list above the limit of a transaction goes in several, and settles once with the outcome of all', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  await database.sql`insert into account (bucket, customer_id) values (0, 1)`;
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const { signal } = new AbortController();
  const commits: number[] = [];
  const onCommit = (deliveryEvents: number) => void commits.push(deliveryEvents);
  const recorder = createRecorder({ sql: database.sql, limits, concurrency: 1, signal, onCommit });
  const reports = Array.from({ length: 4500 }, () => createReport());
  // The chunk is gone, so that the intents are refused: the last one is in the last transaction.
  const intent: DeliveryEvent = { ...createReport(), event: { kind: 'intended' } };
  const outcomes: number[] = [];
  void recorder.record([...reports, intent]).then(({ refused }) => outcomes.push(Number(refused.has(intent))));
  await recorder.idle();
  expect(commits).toEqual([2000, 2000, 501]);
  expect(outcomes).toEqual([1]);
});

/** Of those who wait for a lock with this statement; not the one that was ended. */
async function waitingProcess(sql: Sql, statement: string, ended = 0n): Promise<bigint> {
  let pid: bigint | undefined;
  await until(async () => {
    pid = (await findLockWaits(sql, statement)).find((found) => found !== ended);
    return pid !== undefined;
  });
  return pid ?? 0n;
}

/** A chunk of 200 parts, the intents to send them, and who records them. */
async function prepareIntents() {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const { sql } = database;
  const seq = Array.from({ length: 200 }, (_, at) => at + 1);
  const phone = seq.map(() => '13800000000');
  const numbers = { seq, phone, to: phone, text: 'Hello', parts: seq.map(() => 1) };
  await sql`insert into account (bucket, customer_id) values (0, 1)`;
  await sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no)
    values (0, 1, 2, 1, 1, 1, 'cmcc', 0, ${JSON.stringify(numbers)}, ${Buffer.alloc(200)}, ${Buffer.alloc(200)}, 1)`;
  const commits: number[] = [];
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const onCommit = (deliveryEvents: number) => void commits.push(deliveryEvents);
  const recorder = createRecorder({ sql, limits, concurrency: 2, signal: new AbortController().signal, onCommit });
  const chunk = chunkOf({ numbers });
  const intents = seq.map(
    (_, index): DeliveryEvent => ({ chunk, index, part: 1, event: { kind: 'intended' }, channelId: 1n }),
  );
  return { sql, recorder, intents, commits };
}

const end = (sql: Sql, process: bigint) =>
  sql`select pg_terminate_backend(${process}::${sql.unsafe(isDistributed(sql) ? 'bigint' : 'int')})`;

/**
 * Sends one part, and many more while that one is being written and held up. Returns the sizes of what was
 * committed, in order, and the parts as they are then.
 */
async function meanToSendBehind(whileHeld: (sql: Sql, writing: bigint) => Promise<unknown>) {
  const { sql, recorder, intents, commits } = await prepareIntents();
  const recorded = await sql.begin(async (tx) => {
    await tx`select 1 from chunk where bucket = 0 for update`;
    const first = recordAll(recorder, intents.slice(0, 1));
    const writing = await waitingProcess(sql, 'update chunk');
    const behind = recordAll(recorder, intents.slice(1));
    // It stands behind the first one for what that one holds, and has not written anything.
    await waitingProcess(sql, 'from account');
    expect(commits).toEqual([]);
    await whileHeld(sql, writing);
    return { first, behind };
  });
  expect([...(await recorded.first), ...(await recorded.behind)]).toEqual([]);
  const [row] = await sql<{ states: string }[]>`select encode(part_states, 'hex') as states from chunk`;
  return { commits, states: row?.states };
}

test('a large batch stands ready behind the one that is being written, and is written after it', async () => {
  const { commits, states } = await meanToSendBehind(async () => undefined);
  expect(commits).toEqual([1, 199]);
  expect(states).toBe('01'.repeat(200));
});

test('a batch behind one that failed is not written before that one is, nor lost', async () => {
  const { commits, states } = await meanToSendBehind(end);
  expect(commits).toEqual([1, 199]);
  expect(states).toBe('01'.repeat(200));
});

test('a batch that fails again and again is tried again, however many wait behind it', async () => {
  const { sql, recorder, intents, commits } = await prepareIntents();
  const recorded = await sql.begin(async (tx) => {
    await tx`select 1 from chunk where bucket = 0 for update`;
    const first = recordAll(recorder, intents.slice(0, 1));
    const once = await waitingProcess(sql, 'update chunk');
    await end(sql, once);
    const again = await waitingProcess(sql, 'update chunk', once);
    const behind = recordAll(recorder, intents.slice(1));
    await end(sql, again);
    await waitingProcess(sql, 'update chunk', again);
    return { first, behind };
  });
  expect([...(await recorded.first), ...(await recorded.behind)]).toEqual([]);
  expect(commits).toEqual([1, 199]);
});

/** Of this process, with a transaction open and no statement running. */
async function findIdleInTransaction(sql: Sql): Promise<number[]> {
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction' and query like '%from task%'`;
  return rows.map(({ pid }) => pid);
}

test('a batch whose connection ends while it waits behind another overwrites no top-up, and is recorded after all', async () => {
  const { sql, recorder, intents } = await prepareIntents();
  const tenant = { bucket: 0, customerId: asCustomerId(2n) };
  await sql`insert into account (bucket, customer_id) values (0, 2)`;
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
      account_defaulted, auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at)
    values (0, 2, 2, 'c:1', '', 1, 1, true, true, true, true, 'submitting', 200, '[]', now())`;
  await sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no)
    select bucket, 2, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      ${Buffer.alloc(200, 1)}, results, queue_no from chunk`;
  const chunk = chunkOf({ ...intents[0]?.chunk, customerId: tenant.customerId });
  const accepted = intents.map((intent): DeliveryEvent => ({ ...intent, chunk, event: { kind: 'accepted' } }));
  const recorded = await sql.begin(async (tx) => {
    await tx`select 1 from chunk where bucket = 0 and customer_id = 1 for update`;
    const first = recordAll(recorder, intents.slice(0, 1));
    await waitingProcess(sql, 'update chunk');
    const behind = recordAll(recorder, accepted);
    await until(async () => (await findIdleInTransaction(sql)).length === 1);
    for (const pid of await findIdleInTransaction(sql)) await sql`select pg_terminate_backend(${pid}::int)`;
    await until(async () => (await findIdleInTransaction(sql)).length === 0);
    const amount = moneyFromMillionths(7_000_000n);
    await sql.begin((other) => creditAccount(other, tenant, { type: 'topup', amount }));
    // All connections of the pool are open again.
    await Promise.all([1, 2, 3, 4, 5].map(() => sql`select pg_sleep(0.05)`));
    return { first, behind };
  });
  await Promise.all([recorded.first, recorded.behind]);
  const [account] = await sql`select available from account where customer_id = 2`;
  expect(account).toEqual({ available: 7_000_000n });
  const [submits] = await sql`select count(*)::int as count from submit where customer_id = 2`;
  expect(submits).toEqual({ count: 200 });
});

test('a batch behind one that does not come to its end lets go of its locks', async () => {
  const { sql, recorder, intents, commits } = await prepareIntents();
  await sql`insert into account (bucket, customer_id) values (0, 2)`;
  const recorded = await sql.begin(async (tx) => {
    await tx`select 1 from chunk where bucket = 0 for update`;
    const first = recordAll(recorder, intents.slice(0, 1));
    await waitingProcess(sql, 'update chunk');
    const behind = recordAll(
      recorder,
      Array.from({ length: 100 }, () => createReport(2n)),
    );
    const isLocked = async () =>
      (await sql`select 1 from account where bucket = 0 and customer_id = 2 for update skip locked`).length === 0;
    await until(isLocked);
    await until(async () => !(await isLocked()));
    expect(commits).toEqual([]);
    return { first, behind };
  });
  await Promise.all([recorded.first, recorded.behind]);
  expect(commits).toEqual([1, 100]);
});
