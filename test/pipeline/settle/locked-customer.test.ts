// A customer whose account another transaction has locked: others are recorded meanwhile, and its own events after the lock, in order.

import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Report, UplinkMessage } from '../../../src/channels/channel.js';
import type { ServiceAccountConfig } from '../../../src/domain/entities/service-account.js';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import type { DeliveryEvent } from '../../../src/domain/outcome/delivery-event.js';
import { createPartMemory } from '../../../src/pipeline/channel/parts/part-memory.js';
import { createQueuedPosition } from '../../../src/pipeline/channel/parts/part-state.js';
import { createReportMatcher } from '../../../src/pipeline/channel/parts/report-matcher.js';
import { createStoredParts } from '../../../src/pipeline/channel/reports/stored-parts.js';
import { createUplinkStore } from '../../../src/pipeline/channel/reports/uplinks.js';
import type { RecordOptions } from '../../../src/pipeline/settle/entry.js';
import { createRecorder, type Recorder } from '../../../src/pipeline/settle/recorder.js';
import type { Settled } from '../../../src/pipeline/settle/settle-batch.js';
import type { Snapshot } from '../../../src/store/snapshot/snapshot.js';
import { createSnapshotView } from '../../../src/store/snapshot/view.js';
import type { Sql } from '../../../src/store/sql.js';
import { createTestDatabase } from '../../support/database.js';
import { ownChannels } from '../../support/fences.js';
import { findLockWaits } from '../../support/lock-waits.js';
import { createMoves } from '../../support/model/channel-parts.js';
import { chunkOf } from '../../support/model/chunk-of.js';
import { until } from '../../support/until.js';

const [ANN, BOB, CAT, DAN] = [1n, 2n, 3n, 4n];
let sql: Sql;
let recorder: Recorder;
let commits: number[];

beforeEach(async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  sql = database.sql;
  commits = [];
  await sql`insert into account (bucket, customer_id) values (0, ${ANN}), (0, ${BOB}), (0, ${CAT}), (0, ${DAN})`;
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const onCommit = (deliveryEvents: number) => void commits.push(deliveryEvents);
  recorder = createRecorder({ sql, limits, concurrency: 1, signal: new AbortController().signal, onCommit });
});

/** A report on a chunk that is gone: it is kept as a record under this upstream id. */
function reportOf(customerId: bigint, messageId = 'm'): DeliveryEvent {
  const chunk = chunkOf({ customerId: asCustomerId(customerId), taskId: asTaskId(1n), queueNo: 0n });
  const event = { kind: 'reported', status: 'intermediate' } as const;
  return { chunk, index: 0, part: 1, event, channelId: 1n, messageId };
}

/** Runs `work` while this account is locked. */
async function whileLocked<Result>(customerId: bigint, work: () => Promise<Result>): Promise<Result> {
  const { result } = await sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`select 1 from account where bucket = 0 and customer_id = ${customerId} for update`;
    return { result: await work() };
  });
  return result;
}

/** Locks this account until the returned function is called. */
async function lock(customerId: bigint): Promise<() => Promise<void>> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let ended = Promise.resolve();
  await new Promise<void>((isLocked) => {
    ended = whileLocked(customerId, () => {
      isLocked();
      return released;
    });
  });
  return () => {
    release();
    return ended;
  };
}

/** Fails where this does not end while an account is locked. */
async function endsMeanwhile<Result>(work: Promise<Result>): Promise<Result> {
  let hasEnded = false;
  const ended = work.finally(() => {
    hasEnded = true;
  });
  await until(async () => hasEnded);
  return await ended;
}

const lockIsAwaited = () => until(async () => (await findLockWaits(sql, 'from account')).length === 1);

test('a batch leaves out a customer whose account is locked, and its events follow in their order', async () => {
  const order: string[] = [];
  const record = (name: string, customerId: bigint) =>
    recorder.record([reportOf(customerId, name)]).then(() => order.push(name));
  const all = await whileLocked(ANN, async () => {
    const anns = [record('ann 1', ANN), record('ann 2', ANN)];
    await Promise.all([record('bob 1', BOB), record('cat 1', CAT)]);
    await lockIsAwaited();
    anns.push(record('ann 3', ANN));
    await record('bob 2', BOB);
    // What goes in line, such as accepting on the express lane, does not wait either.
    await new Promise<void>((resolve) => recorder.runExclusive(0, async () => resolve()));
    expect(order).toEqual(['bob 1', 'cat 1', 'bob 2']);
    return { anns };
  });
  await Promise.all(all.anns);
  expect(order.slice(3)).toEqual(['ann 1', 'ann 2', 'ann 3']);
  const rows = await sql`select count(*)::int as count from delivery where customer_id = ${ANN}`;
  expect([rows[0]?.count, commits.reduce((sum, count) => sum + count)]).toEqual([3, 6]);
  await recorder.idle();
});

test('what is passed over stays before what follows it', async () => {
  const order: string[] = [];
  const all = await whileLocked(ANN, async () => {
    // The first is taken alone, and the second is in the line when the first returns to it.
    const first = recorder.record([reportOf(ANN, 'ann 1')], { mode: 'isolated' }).then(() => order.push('first'));
    const second = recorder.record([reportOf(ANN, 'ann 2')]).then(() => order.push('second'));
    await lockIsAwaited();
    return { anns: [first, second] };
  });
  await Promise.all(all.anns);
  expect(order).toEqual(['first', 'second']);
});

test('a call hears of the events of each customer as soon as they are settled', async () => {
  const [anns, bobs] = [reportOf(ANN), reportOf(BOB)];
  for (const mode of ['batched', 'concurrent'] as const) {
    const settled: (readonly DeliveryEvent[])[] = [];
    const failures: number[] = [];
    const { call } = await whileLocked(ANN, async () => {
      const onSettled = (events: readonly DeliveryEvent[], { failed }: Settled) => {
        settled.push(events);
        failures.push(failed.size);
      };
      const recording = recorder.record([anns, bobs], { mode, onSettled });
      await until(async () => settled.length === 1);
      await lockIsAwaited();
      expect(settled).toEqual([[bobs]]);
      return { call: recording };
    });
    expect((await call).failed.size).toBe(0);
    expect([settled, failures]).toEqual([
      [[bobs], [anns]],
      [0, 0],
    ]);
  }
});

test('a call ends when all of its events are settled', async () => {
  let isSettled = false;
  const recorded = await whileLocked(ANN, async () => {
    const call = recorder.record([reportOf(ANN), reportOf(BOB)]).then(() => {
      isSettled = true;
    });
    await lockIsAwaited();
    await recorder.record([reportOf(CAT)]);
    expect(isSettled).toBe(false);
    return { call };
  });
  await recorded.call;
});

test('events that wait for a lock do not fail with the batch that left them out', async () => {
  await sql.unsafe(`
    create function be_away() returns trigger language plpgsql as $$
      begin raise exception 'connection to the remote node failed' using errcode = '08006'; end $$;
    create trigger away before insert on delivery for each row when (new.customer_id = ${BOB}) execute function be_away()`);
  const [anns, bobs] = [reportOf(ANN), reportOf(BOB)];
  const { call } = await whileLocked(ANN, async () => {
    const call = recorder.record([anns, bobs]);
    await lockIsAwaited();
    return { call };
  });
  expect([...(await call).failed.keys()]).toEqual([bobs]);
});

test('what must follow everything before it, a flush and a stop wait for the locked customer', async () => {
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  const all = await whileLocked(ANN, async () => {
    const waiting = [recorder.record([reportOf(ANN)]).then(note('ann'))];
    await lockIsAwaited();
    waiting.push(recorder.record([reportOf(BOB)], { isOrdered: true }).then(note('ordered')));
    waiting.push(recorder.flush(0).then(note('flush')), recorder.idle().then(note('idle')));
    await recorder.record([reportOf(CAT)]);
    expect(order).toEqual([]);
    return { waiting };
  });
  await Promise.all(all.waiting);
  expect(order.slice(0, 2)).toEqual(['ann', 'ordered']);
  expect(order).toHaveLength(4);
});

test('an ordered event does not wait for what locked customers get after it', async () => {
  const order: string[] = [];
  const record = (name: string, customerId: bigint, options?: RecordOptions) =>
    recorder.record([reportOf(customerId)], options).then(() => void order.push(name));
  let left = { release: await lock(ANN), recorded: record('ann', ANN) };
  await lockIsAwaited();
  const ordered = record('ordered', CAT, { isOrdered: true });
  // In turns, so that at any time one of the two accounts is locked, and an event of its customer is left out.
  const TURNS = 6;
  for (let turn = 0; turn < TURNS && !order.includes('ordered'); turn++) {
    const customerId = turn % 2 === 0 ? BOB : ANN;
    const next = { release: await lock(customerId), recorded: record('later', customerId) };
    // Of the batch that leaves it out.
    await recorder.record([reportOf(DAN)]);
    await left.release();
    await left.recorded;
    // In a batch with the ordered event, or behind it.
    await recorder.record([reportOf(DAN)]);
    left = next;
  }
  const settledInTurns = [...order];
  await left.release();
  await Promise.all([left.recorded, ordered]);
  await recorder.idle();
  expect(settledInTurns).toEqual(['ann', 'ordered']);
});

test('an ordered event waits for everything before it that is left out, beside the batches or in the line', async () => {
  const order: string[] = [];
  const record = (name: string, customerId: bigint, options?: RecordOptions) =>
    recorder.record([reportOf(customerId)], options).then(() => void order.push(name));
  const [releaseAnn, releaseBob] = [await lock(ANN), await lock(BOB)];
  // They are taken alone, and the ordered event is in the line when they return to it.
  const [anns, bobs] = [record('ann', ANN, { mode: 'isolated' }), record('bob', BOB, { mode: 'isolated' })];
  const ordered = record('ordered', CAT, { isOrdered: true });
  await lockIsAwaited();
  await record('dan', DAN);
  await releaseAnn();
  await anns;
  await record('dan', DAN);
  await lockIsAwaited();
  await record('dan', DAN);
  expect(order).toEqual(['dan', 'ann', 'dan', 'dan']);
  await releaseBob();
  await Promise.all([bobs, ordered]);
  expect(order.slice(4)).toEqual(['bob', 'ordered']);
  await recorder.idle();
});

test('of several locked customers, those whose account is free again do not wait for the others', async () => {
  const all = await whileLocked(ANN, async () => {
    const { anns, bobs } = await whileLocked(BOB, async () => {
      const calls = { anns: recorder.record([reportOf(ANN)]), bobs: recorder.record([reportOf(BOB)]) };
      await recorder.record([reportOf(CAT)]);
      await lockIsAwaited();
      return calls;
    });
    // Ann is served first, and bob alone after her.
    await recorder.record([reportOf(CAT)]);
    return { anns, bobs };
  });
  expect([(await all.anns).failed.size, (await all.bobs).failed.size]).toEqual([0, 0]);
  await recorder.idle();
});

test('an inbound message waits for the events of its customer, not for locked accounts of others', async () => {
  await sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    values ('H1', 'Channel', 'simulator', '{}', 'active', '{}', 1)`;
  await ownChannels(sql, [1n]);
  const tenant = { bucket: 0, customerId: asCustomerId(BOB) };
  const account = { ...tenant, serviceAccountId: 1n } as unknown as ServiceAccountConfig;
  const snapshot: Snapshot = {
    ...createSnapshotView(),
    serviceAccountsBySender: () => [account],
    tenants: () => [tenant],
    isGranted: () => true,
  };
  const region = 'CN';
  const deps = { sql, snapshot: () => snapshot, region, recorder, now: Date.now } as const;
  const store = createUplinkStore(deps, { channelId: 1n, token: 1n });
  const from = '8613800138000';
  const messageOf = (text: string): UplinkMessage => ({ kind: 'uplink', from, to: '1069', text, ack() {}, nack() {} });
  const anns = await whileLocked(ANN, async () => {
    const recorded = recorder.record([reportOf(ANN)]);
    await lockIsAwaited();
    expect(await endsMeanwhile(store(messageOf('beside ann')))).toBe(true);
    return { recorded };
  });
  await anns.recorded;
  let isStored = false;
  const bobs = await whileLocked(BOB, async () => {
    const recorded = recorder.record([reportOf(BOB)]);
    await lockIsAwaited();
    const stored = store(messageOf('behind bob')).then(() => {
      isStored = true;
    });
    await recorder.record([reportOf(CAT)]);
    expect(isStored).toBe(false);
    return { recorded, stored };
  });
  await Promise.all([bobs.recorded, bobs.stored]);
  await recorder.idle();
});

test('a report on a part without an answer waits for the events of its customer, not for locked accounts of others', async () => {
  const lease = { channelId: 1n, token: 1n };
  const given = { sql, snapshot: createSnapshotView, lease, recorder, now: Date.now } as const;
  // The part is found in memory, beside what the database has.
  const stored = { ...createStoredParts({ ...given, messageIdFormat: 'auto' }), find: async () => new Map() };
  const memory = createPartMemory(100_000);
  const matcher = createReportMatcher({ channelId: 1n, messageIdFormat: 'auto', memory, stored });
  const to = '8613800138000';
  const numbers = { seq: [1], phone: ['13800138000'], to: [to], text: 'Hello', parts: [1] };
  const chunk = chunkOf({ customerId: asCustomerId(BOB), taskId: asTaskId(7n), numbers });
  const text = { text: 'Hello', encoding: 'gsm7', part: 1, parts: 1 } as const;
  createMoves(() => matcher).lose({
    part: { reference: '2.7.1.1', message: '2.7.1', to, from: '1069', ...text },
    position: { ...createQueuedPosition(chunk, 0, 1), submittedAt: Date.now() },
  });
  const ends = { ack() {}, nack() {} };
  const report: Report = { kind: 'report', messageId: 'm', status: 'delivered', code: 'DELIVRD', phone: to, ...ends };
  const anns = await whileLocked(ANN, async () => {
    const recorded = recorder.record([reportOf(ANN)]);
    await lockIsAwaited();
    const { found } = await endsMeanwhile(matcher.match([report], Date.now()));
    expect([...found.values()]).toMatchObject([{ chunk: { customerId: asCustomerId(BOB) } }]);
    return { recorded };
  });
  await anns.recorded;
  await recorder.idle();
});
