// However intents, answers and their commits interleave, there are never more parts between intent and recorded answer than the window.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoredChunk } from '../../../../src/domain/chunk/chunk.js';
import { newChunkState } from '../../../../src/domain/chunk/chunk-state.js';
import { asCustomerId, asTaskId } from '../../../../src/domain/id.js';
import { MESSAGE_CLASSES, type MessageClass } from '../../../../src/domain/rules/message-class.js';
import { placeOf } from '../../../../src/domain/rules/queue-place.js';
import type { Sendable } from '../../../../src/pipeline/channel/parts/part-state.js';
import { createWindow } from '../../../../src/pipeline/channel/parts/window.js';
import { createClassTurns } from '../../../../src/pipeline/channel/sending/class-turns.js';
import { createPacer } from '../../../../src/pipeline/channel/sending/pacer.js';
import { createPump } from '../../../../src/pipeline/channel/sending/pump.js';
import { createTurns } from '../../../../src/pipeline/channel/sending/turns.js';
import { startWake } from '../../../../src/pipeline/wake.js';
import type { Sql } from '../../../../src/store/sql.js';
import { chunkOf } from '../../../support/model/chunk-of.js';

const SLOTS = 100;
const BUCKETS = 4;

function createChunk(customer: number, numbers: number, chunkNo: number, messageClass: MessageClass): StoredChunk {
  const each = <Value>(value: (at: number) => Value) => Array.from({ length: numbers }, (_, at) => value(at));
  const to = each((at) => String(8_613_800_000_000 + at));
  const columns = { seq: each((at) => at + 1), phone: to, to, text: 'Hello', parts: each(() => 1) };
  const place = { customerId: asCustomerId(BigInt(customer)), taskId: asTaskId(1n), chunkNo };
  const queueNo = placeOf(messageClass, BigInt(chunkNo));
  const chunk = chunkOf({ ...place, bucket: customer % BUCKETS, queueNo, numbers: columns });
  return { chunk, state: newChunkState(columns.parts), intendedAt: null };
}

interface Entry {
  readonly kind: 'intents' | 'answers';
  readonly parts: readonly Sendable[];
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant('queued' as const),
    customer: fc.integer({ min: 1, max: 40 }),
    numbers: fc.integer({ min: 1, max: 60 }),
    messageClass: fc.constantFrom(...MESSAGE_CLASSES),
  }),
  fc.record({
    kind: fc.constant('answered' as const),
    bucket: fc.nat(BUCKETS - 1),
    count: fc.integer({ min: 1, max: 60 }),
  }),
  fc.record({ kind: fc.constant('committed' as const), bucket: fc.nat(BUCKETS - 1) }),
);

test('the window holds, and everything is sent', async () => {
  const wake = await startWake({ sql: undefined as unknown as Sql, listen: false, warn: () => {} });
  fc.assert(
    fc.property(fc.array(step, { minLength: 200, maxLength: 600 }), (steps) => {
      const window = createWindow(SLOTS);
      const turns = createClassTurns(() => createTurns(() => '1069', 'gsm7'));
      /** What waits for its commit, by bucket, in order. */
      const lines = Array.from({ length: BUCKETS }, (): Entry[] => []);
      const intended = new Set<Sendable>();
      const onTheWire = new Set<Sendable>();
      const bucketOf = (part: Sendable) => part.position.chunk.bucket;
      const intend = (parts: readonly Sendable[]): void => {
        for (const part of parts) {
          intended.add(part);
          onTheWire.add(part);
        }
        expect(intended.size).toBeLessThanOrEqual(SLOTS);
      };
      const pump = createPump({
        window,
        turns,
        loader: { wantsMore: () => false },
        pacer: createPacer(undefined, () => 1),
        wake,
        isOpen: () => true,
        send(parts, mode) {
          const [first] = parts;
          if (first === undefined) return;
          // As in `commitIntents`: without a reused slot the commit may come before that of the answers in the line.
          if (mode === 'concurrent' || !window.reusesSlots()) intend(parts);
          else lines[bucketOf(first)]?.push({ kind: 'intents', parts: [...parts] });
        },
      });
      window.onFree(pump.run);
      const answer = (bucket: number, count: number): void => {
        const parts = [...onTheWire].filter((part) => bucketOf(part) === bucket).slice(0, count);
        for (const part of parts) onTheWire.delete(part);
        lines[bucket]?.push({ kind: 'answers', parts });
        window.reuseAfterCommit(parts);
      };
      const commit = (bucket: number): void => {
        const entry = lines[bucket]?.shift();
        if (entry?.kind === 'intents') {
          intend(entry.parts);
          return;
        }
        for (const part of entry?.parts ?? []) intended.delete(part);
        window.release(entry?.parts ?? []);
      };
      for (const [at, each] of steps.entries()) {
        if (each.kind === 'queued') turns.add(createChunk(each.customer, each.numbers, at + 1, each.messageClass));
        else if (each.kind === 'answered') answer(each.bucket, each.count);
        else commit(each.bucket);
        pump.run();
      }
      for (let round = 0; round < 5000 && (turns.size() > 0 || intended.size > 0); round++) {
        for (let bucket = 0; bucket < BUCKETS; bucket++) {
          commit(bucket);
          answer(bucket, SLOTS);
        }
      }
      pump.stop();
      expect([turns.size(), intended.size]).toEqual([0, 0]);
    }),
    { numRuns: 60 },
  );
});
