// The answer to a commit is lost, and the batch is tried again. The retry knows whether its first attempt was committed: if it was,
// nothing is applied again, whatever others have done since; if not, it is decided anew.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { PART } from '../../../src/domain/chunk/chunk-state.js';
import { asCustomerId } from '../../../src/domain/id.js';
import { nextQueueNo } from '../../../src/domain/money/ledger.js';
import type { DeliveryEvent } from '../../../src/domain/outcome/delivery-event.js';
import { queueKeyOf } from '../../../src/domain/rules/queue-place.js';
import { createRecorder } from '../../../src/pipeline/settle/recorder.js';
import { moveChunks, readQueuedChunks } from '../../../src/store/chunk/dispatch-queue.js';
import { lockAccounts, writeAccounts } from '../../../src/store/money/account.js';
import { runTogether } from '../../../src/store/run-together.js';
import type { Sql } from '../../../src/store/sql.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { ownChannels } from '../../support/fences.js';
import { chunkOf } from '../../support/model/chunk-of.js';

const LIMITS = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
const CUSTOMER = asCustomerId(1n);
const QUEUE = queueKeyOf(CUSTOMER, 'notice');
const FIRST = { channelId: 1n, token: 1n };
const SECOND = { channelId: 2n, token: 1n };
const chunk = chunkOf();
const base = { chunk, index: 0, part: 1, channelId: 1n, submittedAt: 1 } as const;
const INTENT: DeliveryEvent = { ...base, event: { kind: 'intended' } };
let database: TestDatabase;
let sql: Sql;

beforeEach(async () => {
  database = await createTestDatabase();
  sql = database.sql;
  await sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    select 'H' || at, 'Channel', 'simulator', '{}', 'active', '{}', 1 from generate_series(1, 2) as at`;
  await sql`insert into account (bucket, customer_id, queue_seq) values (0, 1, 1)`;
  await ownChannels(sql, [1n, 2n]);
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
      account_defaulted, auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at)
    values (0, 1, 2, 'c:1', '', 1, 1, true, true, true, true, 'submitting', 1, '[]', now())`;
  await sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no)
    values (0, 1, 2, 1, 1, 1, 'cmcc', 0, ${JSON.stringify(chunk.numbers)}, '\\x00', '\\x00', 1)`;
});
afterEach(() => database.drop());

const recorderOf = (through: Sql) =>
  createRecorder({ sql: through, limits: LIMITS, concurrency: 1, signal: new AbortController().signal });

/** The database; of its transaction with this number, from 1, the answer is lost, or it does not arrive there. */
function losing(which: number, how: 'answer' | 'transaction', meanwhile: () => Promise<unknown>): Sql {
  let transactions = 0;
  const begin = async (...args: unknown[]) => {
    transactions += 1;
    const isLost = transactions === which;
    const run = () => (sql.begin as (...args: unknown[]) => Promise<unknown>)(...args);
    if (!isLost) return await run();
    if (how === 'answer') await run();
    await meanwhile();
    throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
  };
  return new Proxy(sql, { get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)) });
}

async function readState(): Promise<number[]> {
  const [row] = await sql<{ states: Uint8Array }[]>`select part_states as states from chunk`;
  return [...(row?.states ?? [])];
}

/** As a change of grants and a channel that goes down do it. */
async function moveToSecond(): Promise<void> {
  const share = { chunks: 10, parts: 100 };
  const [stored] = await readQueuedChunks(sql, 0, 1n, [{ queue: QUEUE, after: undefined }], share);
  if (stored === undefined) throw new Error('there is nothing to move');
  await sql.begin(async (tx) => {
    const { accounts, now } = await lockAccounts(tx, 0, [CUSTOMER]);
    const account = accounts.get(CUSTOMER) ?? expect.fail('no account');
    const moved = await moveChunks(
      tx,
      0,
      CUSTOMER,
      [{ ...stored, to: 2n, queueNo: nextQueueNo(account, 'notice') }],
      now,
    );
    expect(moved.size).toBe(1);
    await runTogether(tx, writeAccounts(tx, 0, [account]));
  });
}

/** As the owner of the second channel: loads its queue and commits intents. Returns how many parts it sends, and the place it has read to. */
async function sendOnSecond(after?: bigint): Promise<{ readonly sent: number; readonly place: bigint | undefined }> {
  const [stored] = await readQueuedChunks(sql, 0, 2n, [{ queue: QUEUE, after }], { chunks: 10, parts: 100 });
  if (stored === undefined) return { sent: 0, place: after };
  const intent = { chunk: stored.chunk, index: 0, part: 1, event: { kind: 'intended' }, channelId: 2n } as const;
  const { refused, failed } = await recorderOf(sql).record([intent], { lease: SECOND });
  return { sent: refused.has(intent) || failed.has(intent) ? 0 : 1, place: stored.chunk.queueNo };
}

test('a part that was withdrawn and is on the wire of another channel is not withdrawn from there', async () => {
  let onSecond = { sent: 0, place: undefined as bigint | undefined };
  const recorder = recorderOf(
    losing(2, 'answer', async () => {
      expect(await readState()).toEqual([PART.unsent]);
      await moveToSecond();
      onSecond = await sendOnSecond();
    }),
  );
  await recorder.record([INTENT], { lease: FIRST });
  const withdrawal: DeliveryEvent = { ...base, event: { kind: 'withdrawn' } };
  const { failed } = await recorder.record([withdrawal], { lease: FIRST });
  expect(failed.has(withdrawal)).toBe(false);
  expect(onSecond.sent).toBe(1);
  expect(await readState()).toEqual([PART.intended]);
  const again = await sendOnSecond(onSecond.place);
  expect(again.sent).toBe(0);
});

test('an intent that was not committed leaves that of another channel alone, and is refused', async () => {
  const recorder = recorderOf(
    losing(1, 'transaction', async () => {
      await moveToSecond();
      expect((await sendOnSecond()).sent).toBe(1);
    }),
  );
  const { refused } = await recorder.record([INTENT], { lease: FIRST });
  expect(refused.has(INTENT)).toBe(true);
  expect(await readState()).toEqual([PART.intended]);
  expect(await sql`select 1 from unknown_part`).toHaveLength(0);
});

test('an intent that was committed is granted, also where its task was paused since', async () => {
  const recorder = recorderOf(losing(1, 'answer', () => sql`update chunk set queue_no = null`));
  const { refused, failed } = await recorder.record([INTENT], { lease: FIRST });
  expect([refused.has(INTENT), failed.has(INTENT)]).toEqual([false, false]);
  expect(await readState()).toEqual([PART.intended]);
});

test('an intent that was refused stays refused, although the chunk is back in its place', async () => {
  await sql`update chunk set queue_no = 9`;
  const recorder = recorderOf(losing(1, 'answer', () => sql`update chunk set queue_no = 1`));
  const { refused } = await recorder.record([INTENT], { lease: FIRST });
  expect(refused.has(INTENT)).toBe(true);
  expect(await readState()).toEqual([PART.unsent]);
});

test('what a standby that took over does not have is applied again', async () => {
  const recorder = recorderOf(
    losing(1, 'answer', () => sql`with lost as (delete from commit_mark) update chunk set part_states = '\\x00'`),
  );
  const { refused } = await recorder.record([INTENT], { lease: FIRST });
  expect(refused.has(INTENT)).toBe(false);
  expect(await readState()).toEqual([PART.intended]);
});
