// The moves of a part: which are legal, and what follows from each.

import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Part, Report, SubmitOutcome } from '../../../../src/channels/channel.js';
import { groupBy } from '../../../../src/domain/group-by.js';
import { asCustomerId, asTaskId, type CustomerId } from '../../../../src/domain/id.js';
import type { DeliveryEvent } from '../../../../src/domain/outcome/delivery-event.js';
import {
  createPartLifecycle,
  type PartLifecycle,
  type PartLifecycleOptions,
  type PartQueue,
} from '../../../../src/pipeline/channel/parts/part-lifecycle.js';
import { createPartMemory } from '../../../../src/pipeline/channel/parts/part-memory.js';
import { createQueuedPosition, movePart, type Sendable } from '../../../../src/pipeline/channel/parts/part-state.js';
import { createPartsInFlight } from '../../../../src/pipeline/channel/parts/parts-in-flight.js';
import { createReportMatcher, type StoredParts } from '../../../../src/pipeline/channel/parts/report-matcher.js';
import { createWindow } from '../../../../src/pipeline/channel/parts/window.js';
import { createQuarantine } from '../../../../src/pipeline/quarantine/quarantine.js';
import type { Recorder } from '../../../../src/pipeline/settle/recorder.js';
import type { Settled } from '../../../../src/pipeline/settle/settle-batch.js';
import type { Wake } from '../../../../src/pipeline/wake.js';
import { LeaseLostError } from '../../../../src/store/channel/channel-lease.js';
import { chunkOf } from '../../../support/model/chunk-of.js';
import { until } from '../../../support/until.js';

const WINDOW = 10;
const FAILOVER_CHANNEL = 7n;
/** A customer whose account is locked. */
const LOCKED = asCustomerId(9n);
const stored: StoredParts = { find: async () => new Map(), store: () => [], awaitRecorded: async () => {} };

type Configuration = Pick<PartLifecycleOptions, 'recheck' | 'refreshSnapshot'>;

/** A lifecycle whose records end as the test says, and what it does with its queue. */
function createLifecycle(
  settle: (event: DeliveryEvent) => Partial<Settled> = () => ({}),
  { recheck = () => undefined, refreshSnapshot = async () => {} }: Partial<Configuration> = {},
) {
  const recorded: string[] = [];
  const queueCalls: string[] = [];
  const faults: unknown[] = [];
  const ordered: boolean[] = [];
  const record: Recorder['record'] = async (events, { isOrdered = false, onSettled } = {}) => {
    ordered.push(isOrdered);
    const ends = events.map((event) => {
      recorded.push(event.event.kind);
      return settle(event);
    });
    await new Promise((resolve) => setImmediate(resolve));
    const refused = new Set(ends.flatMap((end) => [...(end.refused ?? [])]));
    const failed = new Map(ends.flatMap((end) => [...(end.failed ?? [])]));
    const outcome = { refused, failed };
    const settleCustomer = async ([customerId, ofCustomer]: [CustomerId, readonly DeliveryEvent[]]): Promise<void> => {
      if (customerId === LOCKED) await accountIsFree;
      onSettled?.(ofCustomer, outcome);
    };
    await Promise.all([...groupBy(events, ({ chunk }) => chunk.customerId)].map(settleCustomer));
    return outcome;
  };
  let freeAccount = (): void => {};
  const accountIsFree = new Promise<void>((resolve) => {
    freeAccount = resolve;
  });
  const memory = createPartMemory(1e6);
  const matcher = createReportMatcher({ channelId: 1n, messageIdFormat: 'auto', memory, stored });
  const window = createWindow(WINDOW);
  const queue: PartQueue = {
    putBack: () => queueCalls.push('putBack'),
    dropNumber: () => queueCalls.push('dropNumber'),
    refund: (parts) => parts.length > 0 && queueCalls.push(`refund ${parts.length}`),
    pause: () => queueCalls.push('pause'),
    resume: () => queueCalls.push('resume'),
  };
  const log = pino({ level: 'silent' });
  const lifecycle = createPartLifecycle({
    lease: { channelId: 1n, token: 1n },
    recorder: { record } as Partial<Recorder> as Recorder,
    matcher,
    inFlight: createPartsInFlight(),
    window,
    queue,
    quarantine: createQuarantine({ now: () => 5, log }),
    wake: { hintQueues() {}, notify() {} } as Partial<Wake> as Wake,
    log,
    now: () => 5,
    failoverChannel: (_chunk, _index, code) => (code === 'BUSY' ? FAILOVER_CHANNEL : undefined),
    recheck,
    refreshSnapshot,
    onFault: (error) => faults.push(error),
  });
  return { lifecycle, window, matcher, recorded, queueCalls, faults, ordered, freeAccount };
}

function createPart(changes?: Parameters<typeof chunkOf>[0]): Sendable {
  const text = { text: 'Hello', encoding: 'gsm7', part: 1, parts: 1 } as const;
  const chunk = chunkOf(changes);
  const message = `${chunk.customerId}.${chunk.taskId}.1`;
  const part: Part = { reference: `${message}.1`, message, to: '8613800138000', from: '1069', ...text };
  return { part, position: createQueuedPosition(chunk, 0, 1) };
}

function reportOf(messageId: string, status: Report['status'] = 'delivered'): Report {
  return { kind: 'report', messageId, status, code: 'X', ack: () => {}, nack: () => {} };
}

/** Returns the parts whose intents are committed. */
async function commitIntents(lifecycle: PartLifecycle, parts: readonly Sendable[]): Promise<Sendable[]> {
  const granted: Sendable[] = [];
  await lifecycle.commitIntents(parts, 'batched', (more) => granted.push(...more));
  return granted;
}

/** A part that is on the wire. */
async function send(world: ReturnType<typeof createLifecycle>, part = createPart()): Promise<Sendable> {
  world.window.take([part]);
  expect(await commitIntents(world.lifecycle, [part])).toEqual([part]);
  world.lifecycle.submit([part]);
  return part;
}

test('parts of a customer whose account is locked come later, and the others do not wait for them', async () => {
  const { lifecycle, window, freeAccount } = createLifecycle();
  const [locked, other] = [createPart({ customerId: LOCKED }), createPart()];
  window.take([locked, other]);
  const granted: Sendable[] = [];
  const committing = lifecycle.commitIntents([locked, other], 'batched', (parts) => granted.push(...parts));
  await until(async () => granted.length > 0);
  expect(granted).toEqual([other]);
  expect(() => lifecycle.submit([locked])).toThrow('from intending to on_wire');
  freeAccount();
  await committing;
  expect(granted).toEqual([other, locked]);
  lifecycle.submit([locked, other]);
});

test('an intent in a reused slot is committed after everything before it', async () => {
  const { lifecycle, window, ordered } = createLifecycle();
  const parts = Array.from({ length: WINDOW + 1 }, (_, at) => createPart({ taskId: asTaskId(BigInt(at)) }));
  const [first, last] = [parts.slice(0, WINDOW), parts.slice(WINDOW)];
  window.take(first);
  await commitIntents(lifecycle, first);
  window.take(last);
  await commitIntents(lifecycle, last);
  expect(ordered).toEqual([false, true]);
});

test('a part is sent only after its intent is committed, and once', async () => {
  const refuse = (event: DeliveryEvent) => ({ refused: new Set([event]) });
  const { lifecycle, window, queueCalls } = createLifecycle(refuse);
  const part = createPart();
  expect(() => lifecycle.submit([part])).toThrow('from queued to on_wire');
  window.take([part]);
  const committing = commitIntents(lifecycle, [part]);
  expect(() => lifecycle.submit([part])).toThrow('from intending to on_wire');
  expect(await committing).toEqual([]);
  expect(() => lifecycle.submit([part])).toThrow('from dropped to on_wire');
  expect([window.free(0), queueCalls]).toEqual([WINDOW, ['refund 1']]);
  const granted = createLifecycle();
  const sent = await send(granted);
  expect(() => granted.lifecycle.submit([sent])).toThrow('from on_wire to on_wire');
});

test.each<[string, SubmitOutcome['kind'], string, string | undefined, readonly string[], string]>([
  ['an accepted part', 'accepted', 'accepted', undefined, [], 'recorded'],
  ['a refused part', 'refused', 'refused', 'NO', ['dropNumber'], 'recorded'],
  ['a part refused with a failover code', 'refused', 'declined', 'BUSY', ['dropNumber'], 'recorded'],
  ['a part whose answer is lost', 'unknown', 'unknown', 'timeout', [], 'recorded'],
  ['a part that the channel returns', 'unsent', 'withdrawn', undefined, ['putBack'], 'queued'],
])('%s is recorded and frees its place', async (_, kind, event, code = 'NO', calls, state) => {
  const world = createLifecycle();
  const part = await send(world);
  world.lifecycle.answer(part, { part: part.part, kind, messageId: 'm1', code } as SubmitOutcome);
  expect([part.position.state, part.position.submittedAt]).toEqual(['answered', 5]);
  await world.lifecycle.stop();
  expect(world.recorded).toEqual(['intended', event]);
  expect([part.position.state, world.queueCalls, world.window.free(undefined)]).toEqual([state, calls, WINDOW]);
});

test.each<[string, Partial<SubmitOutcome>, string]>([
  ['an acceptance', { kind: 'accepted', messageId: 'm1' }, 'accepted'],
  ['a refusal', { kind: 'refused', code: 'NO' }, 'not_accepted'],
])('%s that arrives while the loss of the answer is being recorded is recorded behind it', async (_, late, event) => {
  const world = createLifecycle();
  const sent = await send(world);
  const { part, position } = sent;
  world.lifecycle.answer(sent, { part, kind: 'unknown', code: 'timeout' });
  await world.lifecycle.answerLate({ part, ...late } as SubmitOutcome);
  expect(world.recorded).toEqual(['intended', 'unknown', event]);
  expect(world.matcher.recall(reportOf('m1'))).toBe(late.kind === 'accepted' ? position : undefined);
  await world.lifecycle.stop();
});

test('a throttled part keeps its intent and its place', async () => {
  const { lifecycle, window, recorded, ...world } = createLifecycle();
  const part = await send({ lifecycle, window, recorded, ...world });
  lifecycle.retry(part);
  expect([part.position.state, window.free(0)]).toEqual(['intended', WINDOW - 1]);
  lifecycle.submit([part]);
  expect([part.position.state, recorded]).toEqual(['on_wire', ['intended']]);
});

test('a slot is reusable only after the recorder has the answer, so that intents come behind it', async () => {
  const { lifecycle, window, recorded, ...world } = createLifecycle();
  const part = await send({ lifecycle, window, recorded, ...world });
  const atNotice: (string | undefined)[] = [];
  window.onFree(() => atNotice.push(recorded.at(-1)));
  lifecycle.answer(part, { part: part.part, kind: 'accepted', messageId: 'm1' });
  expect([atNotice, window.free(0)]).toEqual([[], WINDOW - 1]);
  await new Promise(process.nextTick);
  expect([atNotice, window.free(0), window.free(undefined)]).toEqual([['accepted'], WINDOW, WINDOW - 1]);
  await lifecycle.stop();
});

test('the answers of one tick are recorded in one call', async () => {
  const world = createLifecycle();
  const sent = [await send(world), await send(world, createPart({ taskId: asTaskId(3n) }))];
  for (const [at, part] of sent.entries()) {
    world.lifecycle.answer(part, { part: part.part, kind: 'accepted', messageId: `m${at}` });
  }
  await world.lifecycle.stop();
  expect(world.recorded).toEqual(['intended', 'intended', 'accepted', 'accepted']);
  // One call for each intent, and one for both answers.
  expect(world.ordered).toHaveLength(3);
});

test('an answer that cannot be recorded is quarantined, frees its place and pauses its customer', async () => {
  let isBroken = true;
  const breakAnswers = (event: DeliveryEvent): Partial<Settled> =>
    isBroken && event.event.kind === 'accepted' ? { failed: new Map([[event, new Error('constraint')]]) } : {};
  const world = createLifecycle(breakAnswers);
  const part = await send(world);
  world.lifecycle.answer(part, { part: part.part, kind: 'accepted', messageId: 'm1' });
  await world.window.empty();
  expect([part.position.state, world.queueCalls]).toEqual(['quarantined', ['pause']]);
  isBroken = false;
  await world.lifecycle.stop();
  expect([part.position.state, world.queueCalls]).toEqual(['recorded', ['pause', 'resume']]);
});

test('a late refusal is recorded behind the loss of the answer, also where that is quarantined', async () => {
  let isBroken = true;
  const breakLosses = (event: DeliveryEvent): Partial<Settled> =>
    isBroken && event.event.kind === 'unknown' ? { failed: new Map([[event, new Error('constraint')]]) } : {};
  const world = createLifecycle(breakLosses);
  const { part, position } = await send(world);
  world.lifecycle.answer({ part, position }, { part, kind: 'unknown', code: 'timeout' });
  await world.window.empty();
  expect(position.state).toBe('quarantined');
  await world.lifecycle.answerLate({ part, kind: 'refused', code: '8' });
  isBroken = false;
  await world.lifecycle.stop();
  expect(world.recorded.slice(-2)).toEqual(['unknown', 'not_accepted']);
});

test('of a call whose lease is lost for some parts, the others give back their places when they are answered', async () => {
  const [first, second] = [createPart(), createPart({ taskId: asTaskId(3n) })];
  const lose = (event: DeliveryEvent): Partial<Settled> =>
    event.event.kind === 'intended' && event.chunk === second.position.chunk
      ? { failed: new Map([[event, new LeaseLostError([1n])]]) }
      : {};
  const { lifecycle, window, faults } = createLifecycle(lose);
  window.take([first, second]);
  expect(await commitIntents(lifecycle, [first, second])).toEqual([first]);
  expect(faults).toEqual([expect.any(LeaseLostError)]);
  lifecycle.submit([first]);
  lifecycle.answer(first, { part: first.part, kind: 'unsent' });
  await lifecycle.stop();
  expect(window.free(0)).toBe(WINDOW);
});

test('a final report settles its part, and the part is forgotten', async () => {
  const world = createLifecycle();
  const part = await send(world);
  world.lifecycle.answer(part, { part: part.part, kind: 'accepted', messageId: 'm1' });
  const { position } = part;
  await world.lifecycle.recordReports([{ report: reportOf('m1', 'intermediate'), position }]);
  expect([position.state, world.matcher.recall(reportOf('m1'))]).toEqual(['recorded', position]);
  await world.lifecycle.recordReports([{ report: reportOf('m1'), position }]);
  expect([position.state, world.matcher.recall(reportOf('m1'))]).toEqual(['settled', undefined]);
  expect(() => movePart(position, 'queued')).toThrow('from settled to queued');
});

test('a part that is on the wire is not sent again although its row reads as unsent', async () => {
  const { lifecycle, window, queueCalls, recorded, ...world } = createLifecycle();
  const sent = await send({ lifecycle, window, queueCalls, recorded, ...world });
  const again = createPart();
  window.take([again]);
  expect(await commitIntents(lifecycle, [again])).toEqual([]);
  expect(again.position.state).toBe('dropped');
  expect(recorded).toEqual(['intended']);
  expect(queueCalls).toEqual(['refund 1']);
  lifecycle.answer(sent, { part: sent.part, kind: 'accepted', messageId: 'a' });
  await window.empty();
  // From now on its row decides.
  const later = createPart();
  window.take([later]);
  expect(await commitIntents(lifecycle, [later])).toEqual([later]);
});

test.each([
  ['refused: the newer copy is sent', true, ['refund 1', 'putBack', 'refund 1'], 'queued'],
  ['granted: the newer copy is dropped', false, ['refund 1'], 'dropped'],
])('a part is loaded again while its intent is being committed, which is %s', async (_, isRefused, calls, state) => {
  const refuse = (event: DeliveryEvent) => (isRefused ? { refused: new Set([event]) } : {});
  const { lifecycle, window, queueCalls, recorded } = createLifecycle(refuse);
  const [older, newer] = [createPart(), createPart()];
  window.take([older]);
  const committing = commitIntents(lifecycle, [older]);
  window.take([newer]);
  expect(await commitIntents(lifecycle, [newer])).toEqual([]);
  expect(await committing).toEqual(isRefused ? [] : [older]);
  expect(recorded).toEqual(['intended']);
  expect([queueCalls, newer.position.state]).toEqual([calls, state]);
  expect(window.free(0)).toBe(isRefused ? WINDOW : WINDOW - 1);
});

test('an intent that is given up while its commit may be under way is taken back before its customer sends again', async () => {
  let isWaiting = true;
  const lockedByTheFirst = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  const wait = (event: DeliveryEvent): Partial<Settled> =>
    isWaiting ? { failed: new Map([[event, lockedByTheFirst]]) } : {};
  const world = createLifecycle(wait);
  const part = createPart();
  world.window.take([part]);
  expect(await commitIntents(world.lifecycle, [part])).toEqual([]);
  expect([part.position.state, world.queueCalls]).toEqual(['dropped', ['pause', 'refund 1']]);
  isWaiting = false;
  await world.lifecycle.stop();
  expect(world.recorded).toEqual(['intended', 'withdrawn']);
  expect(world.queueCalls).toEqual(['pause', 'refund 1', 'resume']);
});

test('a number is rejected by the current configuration only', async () => {
  let isOld = true;
  const ended = { event: { kind: 'ended' }, code: 'no_route' } as const;
  const configuration: Configuration = {
    recheck: () => (isOld ? ended : undefined),
    refreshSnapshot: async () => {
      isOld = false;
    },
  };
  const { lifecycle, window } = createLifecycle(undefined, configuration);
  const part = createPart();
  window.take([part]);
  expect(await commitIntents(lifecycle, [part])).toEqual([part]);
});

test('a number is not rejected where the current configuration cannot be read', async () => {
  const configuration: Configuration = {
    recheck: ({ taskId }) => (taskId === 3n ? { event: { kind: 'ended' }, code: 'no_route' } : undefined),
    refreshSnapshot: () => Promise.reject(new Error('away')),
  };
  const { lifecycle, window, queueCalls, recorded } = createLifecycle(undefined, configuration);
  const [unsure, other] = [createPart({ taskId: asTaskId(3n) }), createPart()];
  window.take([unsure, other]);
  expect(await commitIntents(lifecycle, [unsure, other])).toEqual([other]);
  expect([unsure.position.state, recorded, queueCalls]).toEqual(['dropped', ['intended'], ['pause', 'refund 1']]);
  expect(window.free(0)).toBe(WINDOW - 1);
});
