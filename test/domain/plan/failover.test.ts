// A refused number tries the next channel of its firm, two more at most, never one that has refused it; and what it leaves
// behind in the settlement.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMoved, newChunkState, resultOf } from '../../../src/domain/chunk/chunk-state.js';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import { ZERO } from '../../../src/domain/money/money.js';
import type { DeliveryEvent } from '../../../src/domain/outcome/delivery-event.js';
import { applyDeliveryEvent, type Settlement, startSettlement } from '../../../src/domain/outcome/settlement.js';
import { chooseFailoverChannel, cutMoved, keepAllParts } from '../../../src/domain/plan/failover.js';
import type { Task } from '../../../src/domain/task/task.js';
import { chunkOf } from '../../support/model/chunk-of.js';

const place = { bucket: 0, customerId: asCustomerId(1n), taskId: asTaskId(2n), chunkNo: 1 };
const numbers = { seq: [1], phone: ['a'], to: ['1'], text: 'hello', parts: [1] };
const by = (channelId: bigint) => ({ channelId, alphabet: 'gsm7' as const });
const channelIds = fc.uniqueArray(fc.bigInt({ min: 1n, max: 30n }), { minLength: 1, maxLength: 8 });

describe('the next channel', () => {
  test('a number is tried on up to three channels of its firm, each once', () => {
    fc.assert(
      fc.property(channelIds, channelIds, (serving, others) => {
        const elsewhere = others.filter((channelId) => !serving.includes(channelId));
        const usable = [
          ...serving.map((channelId) => ({ channelId, firms: ['other', 'cmcc'], alphabet: 'gsm7' as const })),
          ...elsewhere.map((channelId) => ({ channelId, firms: ['other'], alphabet: 'gsm7' as const })),
        ];
        const [first = 0n] = serving;
        const asked = [first];
        for (let next: bigint | undefined = first; next !== undefined; ) {
          const refusedBy: bigint = next;
          next = chooseFailoverChannel({ firm: 'cmcc', tried: asked.slice(0, -1), numbers }, 0, by(refusedBy), usable);
          if (next !== undefined) asked.push(next);
        }
        expect(asked).toHaveLength(Math.min(3, serving.length));
        expect(new Set(asked).size).toBe(asked.length);
        expect(asked.every((channelId) => serving.includes(channelId))).toBe(true);
      }),
    );
  });

  test('it is the next in order, round and round, so that channels share what one of them refuses', () => {
    const usable = [4n, 1n, 3n, 2n].map((channelId) => ({ channelId, firms: ['cmcc'], alphabet: 'gsm7' as const }));
    const next = (refusedBy: bigint, tried: bigint[] = []) =>
      chooseFailoverChannel({ firm: 'cmcc', tried, numbers }, 0, by(refusedBy), usable);
    expect([next(1n), next(2n), next(4n), next(2n, [3n]), next(4n, [1n])]).toEqual([2n, 3n, 1n, 4n, 2n]);
    expect(next(3n, [1n, 2n])).toBeUndefined();
  });

  test('it carries the text in as many parts as it was priced for, whatever its alphabet', () => {
    const ascii = { channelId: 2n, firms: ['cmcc'], alphabet: 'ascii' as const };
    const gsm = { channelId: 3n, firms: ['cmcc'], alphabet: 'gsm7' as const };
    const next = (text: string, parts: number, usable = [ascii, gsm]) =>
      chooseFailoverChannel(
        { firm: 'cmcc', tried: [], numbers: { ...numbers, text, parts: [parts] } },
        0,
        by(1n),
        usable,
      );
    expect(next('a'.repeat(140), 1)).toBe(2n);
    expect(next('测试', 1)).toBe(2n);
    // One part of the GSM alphabet, two of ASCII.
    expect(next('a'.repeat(150), 1)).toBe(3n);
    expect(next('a'.repeat(150), 1, [ascii])).toBeUndefined();
    expect(next('Δ'.repeat(30), 1)).toBe(2n);
    expect(next('Δ'.repeat(100), 1, [ascii])).toBeUndefined();
    const mixed = chunkOf({
      ...place,
      numbers: { ...numbers, seq: [1, 2], text: ['a', 'a'.repeat(150)], parts: [1, 1] },
    });
    expect([keepAllParts(mixed, { alphabet: 'gsm7' }), keepAllParts(mixed, { alphabet: 'ascii' })]).toEqual([
      true,
      false,
    ]);
  });
});

const parts = [1, 2, 1];
const chunk = chunkOf({
  ...place,
  queueNo: 7n,
  tried: [9n],
  numbers: { seq: [4, 5, 6], phone: ['a', 'b', 'c'], to: ['1', '2', '3'], text: ['x', 'y', 'z'], parts },
});
const counts = { total: 3, unsent: 3, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 };

interface Situation {
  readonly ending?: Task['ending'];
  readonly queueNo?: bigint | null;
}

const about = (
  index: number,
  part: number,
  event: DeliveryEvent['event'],
  more: Partial<DeliveryEvent> = {},
): DeliveryEvent => {
  return { chunk, index, part, event, channelId: 1n, failoverChannel: 2n, ...more };
};
const intend = (index: number, part = 1) => about(index, part, { kind: 'intended' });
const decline = (index: number, part = 1) => about(index, part, { kind: 'declined' }, { code: 'BUSY' });

function settle(deliveryEvents: readonly DeliveryEvent[], { ending = null, queueNo = 7n }: Situation = {}): Settlement {
  const { partStates, results } = newChunkState(parts);
  const stored = { ...place, channelId: 1n, queueNo: 7n as bigint | null, expiresAt: null, partStates, results };
  const task = { ...place, terms: null, ending, counts } as unknown as Task;
  const batch = startSettlement(new Date(), new Map(), [stored], [task], deliveryEvents);
  for (const deliveryEvent of deliveryEvents) {
    // It is taken out of the queue when its parts are on the wire.
    if (deliveryEvent.event.kind !== 'intended') stored.queueNo = queueNo;
    applyDeliveryEvent(batch, deliveryEvent);
  }
  return batch;
}

const stateOf = (batch: Settlement) => batch.chunks.get(chunk.key)?.state ?? expect.fail('the chunk is not there');
const receiptsOf = ({ receipts, declinedBefore }: Settlement) =>
  [...receipts, ...declinedBefore].map(({ seq, result, code }) => [seq, result, code]);

describe('a declined number', () => {
  test('moves with others to the same channel in one chunk, keeps its count and money, and has no receipt yet', () => {
    const batch = settle([intend(0), intend(2), decline(0), decline(2)]);
    const [move, ...others] = batch.moves.values();
    expect(others).toEqual([]);
    expect(cutMoved(move ?? expect.fail('nothing moves'), 77)).toEqual({
      ...place,
      chunkNo: 77,
      channelId: 2n,
      serviceAccountId: 1n,
      firm: 'cmcc',
      unitPrice: ZERO,
      expiresAt: null,
      tried: [9n, 1n],
      numbers: { seq: [4, 6], phone: ['a', 'c'], to: ['1', '3'], text: ['x', 'z'], parts: [1, 1] },
    });
    expect(move?.isQueued).toBe(true);
    expect(batch.submits.map(({ seq, status, code }) => [seq, status, code])).toEqual([
      [4, 'rejected', 'BUSY'],
      [6, 'rejected', 'BUSY'],
    ]);
    expect(receiptsOf(batch)).toEqual([]);
    expect(batch.tasks.get(chunk.taskKey)).toMatchObject({ counts, countsChanged: false });
  });

  test('moves once, even if the event is applied twice', () => {
    const batch = settle([intend(0), decline(0), decline(0)]);
    expect([...batch.moves.values()].map(({ indices }) => indices)).toEqual([[0]]);
    expect(batch.submits).toHaveLength(1);
  });

  test('waits with the rest where its task is paused', () => {
    const [move] = settle([intend(0), decline(0)], { queueNo: null }).moves.values();
    expect(move?.isQueued).toBe(false);
  });

  test('is rejected with the code of the refusal where its task has ended, or there is no other way', () => {
    const ended = settle([intend(0), decline(0)], { ending: 'cancelled' });
    const alone = settle([intend(0), { ...decline(0), failoverChannel: undefined }]);
    for (const batch of [ended, alone]) {
      expect(receiptsOf(batch)).toEqual([[4, 'rejected', 'BUSY']]);
      expect([batch.moves.size, resultOf(stateOf(batch), 0)]).toEqual([0, 'rejected']);
    }
  });

  test.each(['accepted', 'unknown'] as const)('is rejected where another part of it is %s', (kind) => {
    const batch = settle([intend(1), intend(1, 2), decline(1), about(1, 2, { kind })]);
    expect(batch.moves.size).toBe(0);
    // The news that decide it do not say why; the record of the refusal does.
    expect(batch.declinedBefore.map(({ seq, result }) => [seq, result])).toEqual([[5, 'rejected']]);
  });

  test.each(['declined', 'withdrawn'] as const)('fails over when the last part on the wire is %s', (kind) => {
    const before = settle([intend(1), intend(1, 2), decline(1)]);
    expect([before.moves.size, receiptsOf(before)]).toEqual([0, []]);
    const batch = settle([intend(1), intend(1, 2), decline(1), about(1, 2, { kind })]);
    expect([batch.moves.size, isMoved(stateOf(batch), 1), receiptsOf(batch)]).toEqual([1, true, []]);
  });

  test('leaves nothing for a late report to settle', () => {
    const late = about(0, 1, { kind: 'reported', status: 'delivered' });
    const batch = settle([intend(0), decline(0), late]);
    expect([receiptsOf(batch), batch.deliveries, batch.lateDeliveries.length]).toEqual([[], [], 1]);
    expect(batch.tasks.get(chunk.taskKey)?.counts).toEqual(counts);
  });
});

test('a number that a channel cannot carry moves unchanged, unless a part of it was sent', () => {
  const reroute = (index: number) => about(index, 1, { kind: 'rerouted' });
  const batch = settle([intend(1), reroute(0), reroute(1), reroute(2)]);
  expect([...batch.moves.values()]).toMatchObject([{ to: 2n, tried: [9n], indices: [0, 2] }]);
  expect([receiptsOf(batch), batch.submits]).toEqual([[], []]);
});
