// The state machine of a number against a model that remembers everything and derives the rest: whatever is said of the
// parts, in whatever order and however often.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Applied,
  applyToPart,
  type ChunkState,
  endUnsent,
  expireNumber,
  giveUpUnsent,
  hasRefusedPart,
  isDeclined,
  isFinished,
  isHandedOver,
  isMoved,
  moveDeclined,
  moveUntouched,
  type NumberState,
  newChunkState,
  numberStateOf,
  PART,
  partStateOf,
  rejectUnsent,
  resultOf,
  stopUnsent,
} from '../../../src/domain/chunk/chunk-state.js';
import { RECEIPT_RESULTS } from '../../../src/domain/record/records.js';
import { movementsOf } from '../../../src/domain/task/billing.js';
import {
  isDeclined as isModelDeclined,
  isFinished as isModelFinished,
  isHandedOver as isModelHandedOver,
  type ModelNumber,
  type NumberEvent,
  newNumber,
  stateOf,
  tellNumber,
} from '../../support/model/number-model.js';
import { scaleRuns } from '../../support/property-runs.js';

const RUNS = scaleRuns(1500);

interface Step {
  readonly index: number;
  readonly part: number;
  readonly event: NumberEvent;
  /** Whether there is another channel for a number that is declined. */
  readonly hasOtherWay: boolean;
}

function applyStep(chunk: ChunkState, { index, part, event, hasOtherWay }: Step): Applied {
  if (event.kind === 'no_receipt') return expireNumber(chunk, index);
  if (event.kind === 'stranded') return giveUpUnsent(chunk, index);
  if (event.kind === 'ended') return endUnsent(chunk, index);
  if (event.kind === 'stopped') return stopUnsent(chunk, index);
  const applied = applyToPart(chunk, index, part, event);
  if (!isDeclined(chunk, index)) return applied;
  if (!hasOtherWay) return rejectUnsent(chunk, index);
  moveDeclined(chunk, index);
  return applied;
}

function tellStep(number: ModelNumber, { part, event, hasOtherWay }: Step): void {
  tellNumber(number, part, event);
  if (!isModelDeclined(number)) return;
  if (hasOtherWay) number.isMoved = true;
  else number.result = 'rejected';
}

const event: fc.Arbitrary<NumberEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'intended' } as const) },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(...(['accepted', 'accepted', 'unknown', 'refused', 'declined', 'declined'] as const))
      .map((kind) => ({ kind })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...(['withdrawn', 'not_accepted', 'no_receipt', 'ended', 'stopped', 'stranded'] as const))
      .map((kind) => ({ kind })),
  },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(...RECEIPT_RESULTS, 'intermediate' as const)
      .map((status) => ({ kind: 'reported', status }) as const),
  },
);

/** Some numbers of some parts, and a story about them. */
const story = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }).chain((partCounts) => {
  const places = partCounts.flatMap((count, index) =>
    Array.from({ length: count }, (_, at) => ({ index, part: at + 1 })),
  );
  const step = fc
    .record({ place: fc.constantFrom(...places), event, hasOtherWay: fc.boolean() })
    .map(({ place, ...happened }): Step => ({ ...place, ...happened }));
  return fc.record({ partCounts: fc.constant(partCounts), steps: fc.array(step, { maxLength: 60 }) });
});

const terms = fc.record({
  chargeOn: fc.constantFrom('submit' as const, 'delivery' as const),
  refundOnFailure: fc.boolean(),
});

/** Cancelled with a part on the wire; the reports and the answer then say that all of it was sent. */
const CANCELLED_UNDER_WAY = {
  partCounts: [3],
  steps: [
    { part: 2, event: { kind: 'intended' } },
    { part: 1, event: { kind: 'reported', status: 'delivered' } },
    { part: 1, event: { kind: 'stopped' } },
    { part: 3, event: { kind: 'reported', status: 'delivered' } },
    { part: 2, event: { kind: 'accepted' } },
  ].map((step): Step => ({ index: 0, hasOtherWay: false, ...(step as Pick<Step, 'part' | 'event'>) })),
};

describe('whatever is said of the parts', () => {
  test('every number stands where the model says', () => {
    fc.assert(
      fc.property(story, ({ partCounts, steps }) => {
        const chunk = newChunkState(partCounts);
        const model = partCounts.map(newNumber);
        for (const step of steps) {
          const before = model.map(stateOf);
          const had = model.map((number) => number.result);
          tellStep(model[step.index] ?? expect.fail('no such number'), step);
          const applied = applyStep(chunk, step);
          for (const [index, number] of model.entries()) {
            expect(numberStateOf(chunk, index)).toBe(stateOf(number));
            expect(resultOf(chunk, index)).toBe(number.result);
            expect(isMoved(chunk, index)).toBe(number.isMoved);
          }
          const number = model[step.index] ?? expect.fail('no such number');
          const to = stateOf(number);
          if (typeof applied === 'string') expect(to).toBe(before[step.index]);
          else {
            expect(applied).toMatchObject({ from: before[step.index], to });
            expect(applied.result).toBe(had[step.index] === undefined ? number.result : undefined);
          }
          expect(isHandedOver(chunk)).toBe(model.every(isModelHandedOver));
          expect(isFinished(chunk)).toBe(model.every(isModelFinished));
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('a number gets one receipt, its money moves once, and the counts add up', () => {
    fc.assert(
      fc.property(story, terms, ({ partCounts, steps }, billing) => {
        const chunk = newChunkState(partCounts);
        const counts = new Map<NumberState, number>([['unsent', partCounts.length]]);
        const moved = partCounts.map(() => ({ charge: 0, release: 0, refund: 0, receipts: 0 }));
        for (const step of steps) {
          const applied = applyStep(chunk, step);
          if (typeof applied === 'string') continue;
          counts.set(applied.from, (counts.get(applied.from) ?? 0) - 1);
          counts.set(applied.to, (counts.get(applied.to) ?? 0) + 1);
          const number = moved[step.index] ?? expect.fail('no such number');
          if (applied.result !== undefined) number.receipts += 1;
          for (const movement of movementsOf(applied, billing)) number[movement] += 1;
          expect(number.charge + number.release).toBeLessThanOrEqual(1);
          expect(number.refund).toBeLessThanOrEqual(number.charge);
        }
        expect([...counts.values()].every((count) => count >= 0)).toBe(true);
        expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(partCounts.length);
        for (const [index, number] of moved.entries()) checkMoney(chunk, index, number, billing);
      }),
      { numRuns: RUNS, examples: [[CANCELLED_UNDER_WAY, { chargeOn: 'submit', refundOnFailure: false }]] },
    );
  });

  test('all of it told twice changes nothing more', () => {
    fc.assert(
      fc.property(story, ({ partCounts, steps }) => {
        const chunk = newChunkState(partCounts);
        for (const step of steps) {
          applyStep(chunk, step);
          // Intents and withdrawals are commands to one sender and no news that could arrive again.
          if (step.event.kind === 'intended' || step.event.kind === 'withdrawn') continue;
          const parts = chunk.partStates.slice();
          const results = chunk.results.slice();
          expect(['unchanged', 'duplicate']).toContain(applyStep(chunk, step));
          expect(chunk.partStates).toEqual(parts);
          expect(chunk.results).toEqual(results);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

/** Once a number has its receipt, its price has gone exactly one way, and the way that the contract says. */
function checkMoney(
  chunk: ChunkState,
  index: number,
  moved: { charge: number; release: number; refund: number; receipts: number },
  billing: { chargeOn: 'submit' | 'delivery'; refundOnFailure: boolean },
): void {
  const result = resultOf(chunk, index);
  expect(moved.receipts).toBe(result === undefined ? 0 : 1);
  if (result === undefined) return;
  expect(moved.charge + moved.release).toBe(1);
  if (billing.chargeOn === 'delivery') expect(moved.charge).toBe(result === 'delivered' ? 1 : 0);
  if (result === 'delivered') expect([moved.charge, moved.refund]).toEqual([1, 0]);
  else if (billing.chargeOn === 'submit') expect(moved.refund).toBe(billing.refundOnFailure ? moved.charge : 0);
}

describe('long messages', () => {
  test('a number of which a part is still to go is not handed over, even when the answer for another was lost', () => {
    const chunk = newChunkState([2]);
    applyToPart(chunk, 0, 1, { kind: 'intended' });
    applyToPart(chunk, 0, 1, { kind: 'unknown' });
    expect(numberStateOf(chunk, 0)).toBe('unsent');
    applyToPart(chunk, 0, 2, { kind: 'intended' });
    applyToPart(chunk, 0, 2, { kind: 'accepted' });
    expect(numberStateOf(chunk, 0)).toBe('unknown');
  });

  test('a number of which a part is with the upstream does not go on elsewhere', () => {
    const chunk = newChunkState([2]);
    for (const part of [1, 2]) applyToPart(chunk, 0, part, { kind: 'intended' });
    applyToPart(chunk, 0, 1, { kind: 'declined' });
    expect([isDeclined(chunk, 0), resultOf(chunk, 0)]).toEqual([false, undefined]);
    expect(applyToPart(chunk, 0, 2, { kind: 'accepted' })).toMatchObject({ to: 'rejected', result: 'rejected' });
    expect(isDeclined(chunk, 0)).toBe(false);
  });

  test('a number fails over when the last part on the wire is declined or withdrawn', () => {
    for (const kind of ['declined', 'withdrawn'] as const) {
      const chunk = newChunkState([3]);
      for (const part of [1, 2]) applyToPart(chunk, 0, part, { kind: 'intended' });
      applyToPart(chunk, 0, 2, { kind: 'declined' });
      expect(applyToPart(chunk, 0, 3, { kind: 'intended' })).toBe('unchanged');
      applyToPart(chunk, 0, 1, { kind });
      expect(isDeclined(chunk, 0)).toBe(true);
      moveDeclined(chunk, 0);
      expect([numberStateOf(chunk, 0), isFinished(chunk), isHandedOver(chunk)]).toEqual(['unsent', true, true]);
    }
  });

  test('a number that moved reads as unsent where it was, whatever is said of its parts there', () => {
    const chunk = newChunkState([2]);
    moveUntouched(chunk, 0);
    for (const part of [1, 2]) {
      for (const event of [{ kind: 'accepted' }, { kind: 'reported', status: 'delivered' }] as const) {
        const applied = applyToPart(chunk, 0, part, event);
        if (typeof applied !== 'string')
          expect(applied).toMatchObject({ from: 'unsent', to: 'unsent', result: undefined });
        expect([numberStateOf(chunk, 0), isMoved(chunk, 0), expireNumber(chunk, 0)]).toEqual([
          'unsent',
          true,
          'unchanged',
        ]);
      }
    }
  });

  test('a message whose rest is not sent is rejected at once, and answers to its other parts change nothing', () => {
    const chunk = newChunkState([3]);
    for (const part of [1, 2]) applyToPart(chunk, 0, part, { kind: 'intended' });
    applyToPart(chunk, 0, 1, { kind: 'accepted' });
    expect(stopUnsent(chunk, 0)).toMatchObject({ from: 'unsent', to: 'rejected', accepted: false });
    expect(applyToPart(chunk, 0, 3, { kind: 'intended' })).toBe('unchanged');
    expect(isFinished(chunk)).toBe(false);
    expect(applyToPart(chunk, 0, 2, { kind: 'accepted' })).toMatchObject({ to: 'rejected', result: undefined });
    expect(isFinished(chunk)).toBe(true);
  });

  test('a chunk stays until the last lost answer is cleared up, though every number has its receipt', () => {
    const chunk = newChunkState([2]);
    for (const part of [1, 2]) applyToPart(chunk, 0, part, { kind: 'intended' });
    applyToPart(chunk, 0, 1, { kind: 'refused' });
    applyToPart(chunk, 0, 2, { kind: 'unknown' });
    expect(resultOf(chunk, 0)).toBe('rejected');
    expect(isFinished(chunk)).toBe(false);
    applyToPart(chunk, 0, 2, { kind: 'not_accepted' });
    expect([partStateOf(chunk, 0, 2), isFinished(chunk)]).toEqual([PART.refused, true]);
  });
});

test('a part is refused also while its number may try another channel', () => {
  const state = newChunkState([2]);
  state.partStates.set([PART.declined, PART.unknown]);
  expect(hasRefusedPart(state, 0)).toBe(true);
});
