import { expect, it } from 'vitest';
import { addTo, forgetOldest } from '../../src/domain/counts.js';

it('a count of zero leaves no key behind', () => {
  const counts = new Map<string, number>();
  expect([addTo(counts, 'a', 2), addTo(counts, 'b', 1), addTo(counts, 'a', -1), addTo(counts, 'b', -1)]).toEqual([
    2, 1, 1, 0,
  ]);
  expect([...counts]).toEqual([['a', 1]]);
});

it('what was set first is forgotten first, and no more than needed', () => {
  const kept = new Set([1, 2, 3, 4]);
  forgetOldest(kept, 4);
  expect([...kept]).toEqual([1, 2, 3, 4]);
  forgetOldest(kept, 2);
  expect([...kept]).toEqual([3, 4]);
});
