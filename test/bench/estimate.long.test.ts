import { expect, test } from 'vitest';
import { describeSeconds, estimateSeconds } from '../../tools/bench/report/estimate.js';
import { SCENARIOS } from '../../tools/bench/scenarios/all.js';

test('a scenario is expected to take as long as the last time, or as long as usual', () => {
  const some = SCENARIOS.filter(({ name }) => name === 'floors' || name === 'soak');
  const [floors, soak] = some.map(({ usualS }) => usualS);
  const unknown = estimateSeconds(some, 1, new Map());
  expect(unknown).toBeGreaterThan((floors ?? 0) + (soak ?? 0));
  expect(estimateSeconds(some, 1, new Map([['soak', 700]]))).toBe(
    unknown - estimateSeconds(some.slice(1), 1, new Map()) + 700,
  );
  expect(estimateSeconds(some, 0.01, new Map())).toBeLessThan(60);
});

test('everything together is estimated in minutes', () => {
  expect(describeSeconds(estimateSeconds(SCENARIOS, 1, new Map()))).toMatch(/^\d\d minutes$/);
  expect(describeSeconds(61.2)).toBe('62 s');
});
