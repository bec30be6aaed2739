import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newChunkState, PART } from '../../../src/domain/chunk/chunk-state.js';
import { partsIn, startWalk, walkOn } from '../../../src/domain/chunk/part-walk.js';

const chunks = fc.array(fc.array(fc.constantFrom(...Object.values(PART)), { minLength: 1, maxLength: 4 }), {
  maxLength: 8,
});

function stateOf(numbers: readonly (readonly number[])[]) {
  const state = newChunkState(numbers.map((parts) => parts.length));
  state.partStates.set(numbers.flat());
  return state;
}

it('the walk finds every part that stands as wanted, with its number, in order', () => {
  fc.assert(
    fc.property(chunks, fc.constantFrom(...Object.values(PART)), (numbers, wanted) => {
      const expected = numbers.flatMap((parts, index) =>
        parts.flatMap((state, at) => (state === wanted ? [{ index, part: at + 1 }] : [])),
      );
      expect(partsIn(stateOf(numbers), wanted)).toEqual(expected);
    }),
  );
});

it('the iteration continues where it was paused, and sees later changes ahead of it', () => {
  const state = stateOf([[PART.unsent], [PART.unsent, PART.unsent]]);
  const walk = startWalk();
  expect(walkOn(walk, state, PART.unsent)).toBe(true);
  expect(walk).toMatchObject({ index: 0, part: 1 });
  state.partStates[1] = PART.intended;
  expect(walkOn(walk, state, PART.unsent)).toBe(true);
  expect(walk).toMatchObject({ index: 1, part: 2 });
  expect(walkOn(walk, state, PART.unsent)).toBe(false);
});
