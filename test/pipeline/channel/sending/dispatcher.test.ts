// What a dispatcher makes of a batch that it shares with others, and of an answer that is written late.

import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Channel, Part, SubmitOutcome } from '../../../../src/channels/channel.js';
import type { StoredChunk } from '../../../../src/domain/chunk/chunk.js';
import { newChunkState, PART } from '../../../../src/domain/chunk/chunk-state.js';
import { asCustomerId, asTaskId } from '../../../../src/domain/id.js';
import type { DeliveryEvent } from '../../../../src/domain/outcome/delivery-event.js';
import { createPartLifecycle } from '../../../../src/pipeline/channel/parts/part-lifecycle.js';
import { createPartMemory } from '../../../../src/pipeline/channel/parts/part-memory.js';
import { createPartsInFlight } from '../../../../src/pipeline/channel/parts/parts-in-flight.js';
import { createReportMatcher, type StoredParts } from '../../../../src/pipeline/channel/parts/report-matcher.js';
import { createWindow } from '../../../../src/pipeline/channel/parts/window.js';
import { createClassTurns } from '../../../../src/pipeline/channel/sending/class-turns.js';
import { startDispatcher } from '../../../../src/pipeline/channel/sending/dispatcher.js';
import type { Loader } from '../../../../src/pipeline/channel/sending/loader.js';
import { createPacer } from '../../../../src/pipeline/channel/sending/pacer.js';
import { createPartQueue } from '../../../../src/pipeline/channel/sending/part-queue.js';
import { createTurns } from '../../../../src/pipeline/channel/sending/turns.js';
import { createQuarantine } from '../../../../src/pipeline/quarantine/quarantine.js';
import type { Recorder } from '../../../../src/pipeline/settle/recorder.js';
import type { Settled } from '../../../../src/pipeline/settle/settle-batch.js';
import { startWake } from '../../../../src/pipeline/wake.js';
import { LeaseLostError } from '../../../../src/store/channel/channel-lease.js';
import type { Sql } from '../../../../src/store/sql.js';
import { chunkOf } from '../../../support/model/chunk-of.js';
import { until } from '../../../support/until.js';

const LEASE = { channelId: 1n, token: 1n };
const WINDOW = 10;

/** So many numbers of a customer, all but the first few of which are unsent. */
function createChunk(count = 1, sent = 0, customer = 1n): StoredChunk {
  const each = <Value>(value: (at: number) => Value) => Array.from({ length: count }, (_, at) => value(at));
  const state = newChunkState(each(() => 1));
  state.partStates.fill(PART.intended, 0, sent);
  const to = each((at) => String(8_613_800_000_000 + Number(customer) * 1000 + at));
  const numbers = { seq: each((at) => at + 1), phone: to, to, text: 'Hello', parts: each(() => 1) };
  const chunk = chunkOf({ customerId: asCustomerId(customer), taskId: asTaskId(1n), numbers });
  return { chunk, state, intendedAt: null };
}

/** Nothing is reported here, so the database is never asked. */
const stored: StoredParts = { find: async () => new Map(), store: () => [], awaitRecorded: async () => {} };

interface Script {
  /** What is there to be sent; one number by default. */
  readonly chunks?: readonly StoredChunk[];
  /** The answers in turn; then all are accepted. */
  readonly outcomes?: readonly ('accepted' | 'unsent')[];
  /** How records end, in a shared batch or in one of their own. */
  readonly settle?: (deliveryEvent: DeliveryEvent, isApart: boolean) => Partial<Settled>;
  /** What is read of a customer that was paused and is resumed. */
  readonly readAgain?: () => StoredChunk;
}

/** A dispatcher on a channel with a window of ten. */
async function dispatch({ chunks = [createChunk()], outcomes = [], settle = () => ({}), readAgain }: Script) {
  const submitted: Part[] = [];
  const faults: unknown[] = [];
  const answerTo = (part: Part): SubmitOutcome => {
    const kind = outcomes[submitted.push(part) - 1] ?? 'accepted';
    return kind === 'accepted' ? { part, kind, messageId: 'm1' } : { part, kind };
  };
  const channel: Channel = {
    window: WINDOW,
    async *submit(parts) {
      for (const part of parts) yield answerTo(part);
    },
    onFeedback() {},
    health: () => ({ state: 'up', sessions: 1 }),
    close: async () => {},
  };
  const record: Recorder['record'] = async (deliveryEvents, { mode, onSettled } = {}) => {
    const ends = deliveryEvents.map((deliveryEvent) => settle(deliveryEvent, mode === 'isolated'));
    const failed = new Map(ends.flatMap((end) => [...(end.failed ?? [])]));
    await new Promise((resolve) => setImmediate(resolve));
    const outcome = { refused: new Set<DeliveryEvent>(), failed };
    onSettled?.(deliveryEvents, outcome);
    return outcome;
  };
  const recorder = { record } as Partial<Recorder> as Recorder;
  const turns = createClassTurns(() => createTurns(() => '1069', 'gsm7'));
  for (const chunk of chunks) turns.add(chunk);
  const wake = await startWake({ sql: undefined as unknown as Sql, listen: false, warn: () => {} });
  const resume = () => readAgain && turns.add(readAgain());
  const loader: Loader = {
    load: async () => {},
    wantsMore: () => false,
    hint() {},
    pause() {},
    resume,
    hold() {},
    stop() {},
  };
  const pacer = createPacer(undefined, Date.now);
  const window = createWindow(WINDOW);
  const matcher = createReportMatcher({
    channelId: 1n,
    messageIdFormat: 'auto',
    memory: createPartMemory(1e6),
    stored,
  });
  const onFault = (error: unknown) => void faults.push(error);
  const log = pino({ level: 'silent' });
  const quarantine = createQuarantine({ now: Date.now, log });
  const queue = createPartQueue({ turns, loader, window, pacer, wake, isOpen: () => true });
  const lifecycle = createPartLifecycle({
    lease: LEASE,
    recorder,
    matcher,
    inFlight: createPartsInFlight(),
    window,
    queue,
    quarantine,
    wake,
    log,
    now: Date.now,
    failoverChannel: () => undefined,
    recheck: () => undefined,
    refreshSnapshot: async () => {},
    onFault,
  });
  const options = { lease: LEASE, channel, lifecycle, window, turns, queue, loader, pacer, wake, log, onFault };
  const dispatcher = startDispatcher({ ...options, observe() {} });
  return { submitted, faults, quarantine, dispatcher };
}

const failedWith = (deliveryEvent: DeliveryEvent): Partial<Settled> => ({
  failed: new Map([[deliveryEvent, new Error('the disk is full')]]),
});

test('another channel of the process that has lost its lease keeps this one from nothing', async () => {
  const others = { ...createChunk(), index: 0, part: 1, event: { kind: 'intended' }, channelId: 2n } as const;
  const lost: Partial<Settled> = { failed: new Map([[others, new LeaseLostError([2n])]]) };
  const { submitted, faults, dispatcher } = await dispatch({ settle: () => lost });
  await until('the part was handed over', () => submitted.length === 1);
  // It would wait for ever for a part that was granted and not handed over.
  await dispatcher.stop();
  expect(faults).toEqual([]);
});

test('a part that came back goes again, also when that could not be written at once', async () => {
  let hasFailed = false;
  const refuseOnce = (deliveryEvent: DeliveryEvent): Partial<Settled> => {
    if (deliveryEvent.event.kind !== 'withdrawn' || hasFailed) return {};
    hasFailed = true;
    return failedWith(deliveryEvent);
  };
  const { submitted, dispatcher } = await dispatch({
    outcomes: ['unsent'],
    settle: refuseOnce,
    readAgain: () => createChunk(),
  });
  await until('the part was handed over again', () => submitted.length === 2);
  await dispatcher.stop();
  expect(new Set(submitted.map(({ reference }) => reference)).size).toBe(1);
});

test('a customer whose answers cannot be written sends no more than was on its way, until they are', async () => {
  const count = 30 * WINDOW;
  let isSick = true;
  const tries = { shared: 0, apart: 0 };
  const settle = (deliveryEvent: DeliveryEvent, isApart: boolean): Partial<Settled> => {
    if (deliveryEvent.chunk.customerId !== 1n || deliveryEvent.event.kind === 'intended') return {};
    tries[isApart ? 'apart' : 'shared'] += 1;
    return isSick ? failedWith(deliveryEvent) : {};
  };
  const sent = (customer: number) => submitted.filter(({ reference }) => reference.startsWith(`${customer}`)).length;
  const { submitted, quarantine, dispatcher } = await dispatch({
    chunks: [createChunk(count), createChunk(count, 0, 2n)],
    settle,
    readAgain: () => createChunk(count, sent(1)),
  });
  await until('everything of the other customer is sent', () => sent(2) === count);
  // What failed, and what took its room in the same transaction.
  expect(sent(1)).toBeLessThanOrEqual(2 * WINDOW);
  await until('it was tried again', () => tries.apart > 0);
  expect(quarantine.list()).toMatchObject([
    { kind: 'record', customer_id: '1', parts: sent(1), reason: 'the disk is full' },
  ]);
  // What failed once never meets the answers of others again.
  expect(tries.shared).toBeLessThanOrEqual(2 * WINDOW);
  isSick = false;
  await until('all of it is sent', () => sent(1) === count);
  await dispatcher.stop();
  expect([new Set(submitted.map(({ to }) => to)).size, submitted.length]).toEqual([2 * count, 2 * count]);
  expect(quarantine.list()).toEqual([]);
});

test('what waits to be written is tried once more when the channel is closed', async () => {
  const settle = (deliveryEvent: DeliveryEvent, isApart: boolean): Partial<Settled> => {
    if (isApart) written.push(deliveryEvent);
    return deliveryEvent.event.kind === 'accepted' && !isApart ? failedWith(deliveryEvent) : {};
  };
  const written: DeliveryEvent[] = [];
  const { quarantine, dispatcher } = await dispatch({ settle });
  await until('the answer is quarantined', () => quarantine.list().length === 1);
  await dispatcher.stop();
  expect([written.length, quarantine.list()]).toEqual([1, []]);
});
