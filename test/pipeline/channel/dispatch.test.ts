// What a dispatcher makes of a batch that it shares with others, and of an answer that is written late.

import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Channel, Part, SubmitOutcome } from '../../../src/channels/channel.js';
import { chunkKeyOf, taskKeyOf } from '../../../src/domain/chunk.js';
import { newChunkState } from '../../../src/domain/chunk-state.js';
import type { Happening } from '../../../src/domain/happening.js';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import { ZERO } from '../../../src/domain/money.js';
import { startDispatcher } from '../../../src/pipeline/channel/dispatch.js';
import { makePacer } from '../../../src/pipeline/channel/pacer.js';
import { makePartMemory } from '../../../src/pipeline/channel/part-memory.js';
import { makePartsBook } from '../../../src/pipeline/channel/parts-book.js';
import { makeTurns } from '../../../src/pipeline/channel/turns.js';
import { makeAside } from '../../../src/pipeline/settle/aside.js';
import type { Recorder, Settled } from '../../../src/pipeline/settle/recorder.js';
import { startWake } from '../../../src/pipeline/wake.js';
import { LeaseLostError } from '../../../src/store/channel-lease.js';
import type { StoredChunk } from '../../../src/store/chunk.js';
import type { Sql } from '../../../src/store/connect.js';

import { until } from '../../support/until.js';

const LEASE = { channelId: 1n, token: 1n };

function makeChunk(): StoredChunk {
  const place = { bucket: 0, customerId: asCustomerId(1n), taskId: asTaskId(1n), chunkNo: 1 };
  const state = newChunkState([1]);
  const numbers = { seq: [1], phone: ['13800138000'], to: ['8613800138000'], text: 'Hello', parts: [1] };
  const keys = { key: chunkKeyOf(place), taskKey: taskKeyOf(place), queueNo: 1n };
  const rest = { channelId: 1n, serviceAccountId: 1n, firm: 'cmcc', unitPrice: ZERO, expiresAt: null, tried: [] };
  return { chunk: { ...place, ...keys, ...rest, numbers, offsets: state.offsets }, state, intendedAt: null };
}

/** A dispatcher with one part to send, whose answers are `outcomes` in turn, and whose records end as `settle` says. */
async function dispatch(
  outcomes: readonly ('accepted' | 'unsent')[],
  settle: (happening: Happening) => Partial<Settled>,
) {
  const submitted: Part[] = [];
  const faults: unknown[] = [];
  const answerTo = (part: Part): SubmitOutcome => {
    const kind = outcomes[submitted.push(part) - 1] ?? 'accepted';
    return kind === 'accepted' ? { part, kind, messageId: 'm1' } : { part, kind };
  };
  const channel: Channel = {
    window: 10,
    async *submit(parts) {
      for (const part of parts) yield answerTo(part);
    },
    onFeedback() {},
    health: () => ({ state: 'up', sessions: 1 }),
    close: async () => {},
  };
  const add: Recorder['add'] = (happenings, _lease, settled) => {
    const [first] = happenings;
    setImmediate(() => settled({ refused: new Set(), failed: new Map(), ...(first && settle(first)) }));
  };
  const { signal } = new AbortController();
  const recorder = { add, aside: makeAside({ add, signal }) } as Recorder;
  const turns = makeTurns(() => '1069');
  turns.add(makeChunk());
  const wake = await startWake({ sql: undefined as unknown as Sql, listen: false, warn: () => {} });
  const dispatcher = startDispatcher({
    lease: LEASE,
    channel,
    turns,
    loader: { load: async () => {}, hint() {}, rewind() {} },
    pacer: makePacer(undefined, Date.now),
    book: makePartsBook({ channelId: 1n, messageIdFormat: 'auto', memory: makePartMemory(1e6), maxKept: 10 }),
    feedback: { takeUp() {}, onLossRecorded() {}, idle: async () => {} },
    otherWay: () => undefined,
    recorder,
    wake,
    log: pino({ level: 'silent' }),
    now: Date.now,
    observe() {},
    onFault: (error) => faults.push(error),
  });
  return { submitted, faults, dispatcher };
}

test('another channel of the process that has lost its lease keeps this one from nothing', async () => {
  const others = { ...makeChunk(), index: 0, part: 1, event: { kind: 'intended' }, channelId: 2n } as const;
  const lost: Partial<Settled> = { failed: new Map([[others, new LeaseLostError([2n])]]) };
  const { submitted, faults, dispatcher } = await dispatch(['accepted'], () => lost);
  await until('the part was handed over', () => submitted.length === 1);
  // It would wait for ever for a part that was granted and not handed over.
  await dispatcher.stop();
  expect(faults).toEqual([]);
});

test('a part that came back goes again, also when that could not be written at once', async () => {
  let hasFailed = false;
  const refuseOnce = (happening: Happening): Partial<Settled> => {
    if (happening.event.kind !== 'withdrawn' || hasFailed) return {};
    hasFailed = true;
    return { failed: new Map([[happening, new Error('the disk is full')]]) };
  };
  const { submitted, dispatcher } = await dispatch(['unsent', 'accepted'], refuseOnce);
  await until('the part was handed over again', () => submitted.length === 2);
  await dispatcher.stop();
});
