// A process that lost its lease: it sends nothing more, and what upstreams reported to it is recorded all the same.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { PART } from '../../../src/domain/chunk/chunk-state.js';
import { asCustomerId } from '../../../src/domain/id.js';
import type { DeliveryEvent } from '../../../src/domain/outcome/delivery-event.js';
import { createRecorder, type Recorder } from '../../../src/pipeline/settle/recorder.js';
import type { Settled } from '../../../src/pipeline/settle/settle-batch.js';
import { type Lease, LeaseLostError } from '../../../src/store/channel/channel-lease.js';
import type { Sql } from '../../../src/store/sql.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { loseChannel, ownChannels } from '../../support/fences.js';
import { chunkOf } from '../../support/model/chunk-of.js';

const LIMITS = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
const numbers = {
  seq: [1, 2],
  phone: ['1', '2'],
  to: ['8613800138001', '8613800138002'],
  text: 'Hello',
  parts: [1, 1],
};
/** Of one customer, one on each of two channels. */
const chunks = [1, 2].map((at) => chunkOf({ chunkNo: at, channelId: BigInt(at), numbers }));
const leases: Lease[] = [1n, 2n].map((channelId) => ({ channelId, token: 1n }));
let database: TestDatabase;
let sql: Sql;

beforeEach(async () => {
  database = await createTestDatabase();
  sql = database.sql;
  await sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    select 'H' || at, 'Channel', 'simulator', '{}', 'active', '{}', 1 from generate_series(1, 2) as at`;
  await sql`insert into account (bucket, customer_id) values (0, 1)`;
  await ownChannels(sql, [1n, 2n]);
  await sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no)
    select 0, 1, 2, at, at, 1, 'cmcc', 0, ${JSON.stringify(numbers)}, '\\x0000', '\\x0000', 1 from generate_series(1, 2) as at`;
});
afterEach(() => database.drop());

function startRecorder(through: Sql = sql): Recorder {
  return createRecorder({ sql: through, limits: LIMITS, concurrency: 1, signal: new AbortController().signal });
}

function deliveryEventsOf(
  at: number,
  event: DeliveryEvent['event'],
  more: Partial<DeliveryEvent> = {},
): DeliveryEvent[] {
  const chunk = chunks[at] ?? expect.fail('no such chunk');
  return [0, 1].map((index) => ({ chunk, index, part: 1, event, channelId: chunk.channelId, submittedAt: 1, ...more }));
}

const add = (
  recorder: Recorder,
  deliveryEvents: readonly DeliveryEvent[],
  lease: Lease | undefined,
): Promise<Settled> => recorder.record(deliveryEvents, { lease });

const loseLease = (channelId: bigint) => loseChannel(sql, channelId);

async function statesOf(chunkNo: number): Promise<number[]> {
  const [row] = await sql<{ states: Uint8Array }[]>`
    select part_states as states from chunk where bucket = 0 and chunk_no = ${chunkNo}`;
  return [...(row?.states ?? [])];
}

/** The database, of which the answer to the first commit is lost. */
function losingFirstAnswer(afterCommit: () => Promise<unknown>): { sql: Sql; lost: () => number } {
  let lost = 0;
  const begin = async (...args: unknown[]) => {
    const result = await (sql.begin as (...args: unknown[]) => Promise<unknown>)(...args);
    if (lost > 0) return result;
    lost += 1;
    await afterCommit();
    throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
  };
  const proxy = new Proxy(sql, { get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)) });
  return { sql: proxy, lost: () => lost };
}

test('intents whose commit went unheard are granted, also where the other lease of their batch is lost', async () => {
  const losing = losingFirstAnswer(() => loseLease(1n));
  const recorder = startRecorder(losing.sql);
  const intents = [0, 1].map((at) => deliveryEventsOf(at, { kind: 'intended' }));
  const [first, second] = await Promise.all(intents.map((each, at) => add(recorder, each, leases[at])));
  expect(losing.lost()).toBe(1);
  expect(intents[0]?.map((intent) => first?.failed.get(intent) instanceof LeaseLostError)).toEqual([true, true]);
  expect(intents[1]?.map((intent) => [second?.refused.has(intent), second?.failed.has(intent)])).toEqual([
    [false, false],
    [false, false],
  ]);
  expect(await statesOf(2)).toEqual([PART.intended, PART.intended]);
});

test('intents that a batch commits before its lease is lost are granted', async () => {
  await sql`insert into account (bucket, customer_id) values (0, 2)`;
  let transactions = 0;
  const begin = async (...args: unknown[]) => {
    transactions += 1;
    // The whole batch fails, and its customers are settled one after the other.
    if (transactions === 1) throw new Error('refused');
    const result = await (sql.begin as (...args: unknown[]) => Promise<unknown>)(...args);
    if (transactions === 2) await loseLease(1n);
    return result;
  };
  const recorder = startRecorder(
    new Proxy(sql, { get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)) }),
  );
  const intents = deliveryEventsOf(0, { kind: 'intended' });
  const others = intents.map((each) => ({ ...each, chunk: { ...each.chunk, customerId: asCustomerId(2n) } }));
  const { refused, failed } = await add(recorder, [...intents, ...others], leases[0]);
  expect(intents.map((each) => [refused.has(each), failed.has(each)])).toEqual([
    [false, false],
    [false, false],
  ]);
  expect(others.map((each) => failed.get(each) instanceof LeaseLostError)).toEqual([true, true]);
  expect(await statesOf(1)).toEqual([PART.intended, PART.intended]);
});

test('an answer is recorded although its batch committed those of another customer, unheard, before its lease was lost', async () => {
  await sql`insert into account (bucket, customer_id) values (0, 2)`;
  await sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no)
    select bucket, 2, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers, part_states, results, queue_no
    from chunk where chunk_no = 1`;
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
      account_defaulted, auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at)
    select 0, customer, 2, 'c:1', '', 1, 1, true, true, true, true, 'submitting', 2, '[]', now() from generate_series(1, 2) as customer`;
  const ofBoth = (event: DeliveryEvent['event'], more: Partial<DeliveryEvent> = {}) => {
    const ofFirst = deliveryEventsOf(0, event, more);
    return [
      ...ofFirst,
      ...ofFirst.map((each) => ({ ...each, chunk: chunkOf({ ...each.chunk, customerId: asCustomerId(2n) }) })),
    ];
  };
  const { refused } = await add(startRecorder(), ofBoth({ kind: 'intended' }), leases[0]);
  expect(refused.size).toBe(0);
  let transactions = 0;
  const begin = async (...args: unknown[]) => {
    transactions += 1;
    if (transactions === 1) throw new Error('refused');
    const result = await (sql.begin as (...args: unknown[]) => Promise<unknown>)(...args);
    if (transactions > 2) return result;
    await loseLease(1n);
    throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
  };
  const recorder = startRecorder(
    new Proxy(sql, { get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)) }),
  );
  const { failed } = await add(recorder, ofBoth({ kind: 'accepted' }, { messageId: 'm1' }), leases[0]);
  expect(failed.size).toBe(0);
  expect(await sql`select customer_id::int as customer, seq from submit order by 1, 2`).toEqual(
    [1, 2].flatMap((customer) => [1, 2].map((seq) => ({ customer, seq }))),
  );
});

/** The owner of the first channel has sent both parts, and lost its lease to one that made them unknown. */
async function takeOver(recorder: Recorder): Promise<void> {
  await add(recorder, deliveryEventsOf(0, { kind: 'intended' }), leases[0]);
  await loseLease(1n);
  await add(recorder, deliveryEventsOf(0, { kind: 'unknown' }, { code: 'process_ended' }), {
    channelId: 1n,
    token: 2n,
  });
  expect(await statesOf(1)).toEqual([PART.unknown, PART.unknown]);
}

test('answers that a process without its lease holds resolve what its successor made unknown', async () => {
  const recorder = startRecorder();
  await takeOver(recorder);
  const [accepted, refused] = [{ kind: 'accepted' } as const, { kind: 'refused' } as const];
  const [first] = deliveryEventsOf(0, accepted, { messageId: 'm1' });
  const [, second] = deliveryEventsOf(0, refused, { code: 'ESME_RINVDSTADR' });
  if (first === undefined || second === undefined) throw new Error('there are two numbers');
  const { failed } = await add(recorder, [first, second], leases[0]);
  expect(failed.size).toBe(0);
  expect(await statesOf(1)).toEqual([PART.accepted, PART.refused]);
  const rows = await sql`select seq, status, code, upstream_message_id as id from submit order by seq`;
  expect(rows).toMatchObject([
    { seq: 1, status: 'accepted', code: null, id: 'm1' },
    { seq: 2, status: 'rejected', code: 'ESME_RINVDSTADR', id: null },
  ]);
  expect(await sql`select 1 from unknown_part`).toHaveLength(0);
});

test('a report that a process without its lease holds is recorded', async () => {
  const recorder = startRecorder();
  await takeOver(recorder);
  const reports = deliveryEventsOf(0, { kind: 'reported', status: 'delivered' }, { messageId: 'm1', code: 'DELIVRD' });
  const { failed } = await add(recorder, reports, leases[0]);
  expect(failed.size).toBe(0);
  expect(await sql`select 1 from delivery_report`).toHaveLength(2);
});

test('a process without its lease neither means to send a part nor gives one back', async () => {
  const recorder = startRecorder();
  await add(recorder, deliveryEventsOf(0, { kind: 'intended' }), leases[0]);
  await loseLease(1n);
  for (const event of [{ kind: 'withdrawn' }, { kind: 'intended' }] as const) {
    const deliveryEvents = deliveryEventsOf(0, event);
    const { failed } = await add(recorder, deliveryEvents, leases[0]);
    expect(deliveryEvents.map((each) => failed.get(each) instanceof LeaseLostError)).toEqual([true, true]);
  }
  expect(await statesOf(1)).toEqual([PART.intended, PART.intended]);
});
