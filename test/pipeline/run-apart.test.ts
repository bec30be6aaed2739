// What cannot be done for one is done for everybody else, whoever stands where in the batch.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../src/domain/id.js';
import { runApart } from '../../src/pipeline/run-apart.js';

const PASSING = Object.assign(new Error('the database is away'), { code: 'CONNECTION_CLOSED' });

interface Item {
  readonly customerId: ReturnType<typeof asCustomerId>;
  readonly taskId: ReturnType<typeof asTaskId>;
  readonly at: number;
}

const items = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 5 })), { maxLength: 60 })
  .map((pairs) =>
    pairs.map(
      ([customer, task], at): Item => ({
        customerId: asCustomerId(BigInt(customer)),
        taskId: asTaskId(BigInt(customer * 10 + task)),
        at,
      }),
    ),
  );

test('the step is taken once for all that can, and the culprits are named by task', async () => {
  await fc.assert(
    fc.asyncProperty(items, fc.uniqueArray(fc.integer({ min: 11, max: 65 })), async (all, bad) => {
      const isBad = ({ taskId }: Item) => bad.includes(Number(taskId));
      const done: Item[] = [];
      const named: Item[][] = [];
      await runApart(all, {
        ownerOf: (item) => item,
        step: async (group) => {
          if (group.some(isBad)) throw new Error('refused');
          done.push(...group);
        },
        onCulprit: (culprits) => named.push([...culprits]),
      });
      expect(done.map(({ at }) => at).sort((a, b) => a - b)).toEqual(
        all.filter((item) => !isBad(item)).map(({ at }) => at),
      );
      const culprits = named.map((group) => [...new Set(group.map(({ taskId }) => Number(taskId)))]);
      expect(culprits.every((tasks) => tasks.length === 1)).toBe(true);
      expect(culprits.flat().sort()).toEqual(
        [...new Set(all.filter(isBad).map(({ taskId }) => Number(taskId)))].sort(),
      );
    }),
  );
});

test('one culprit among two hundred customers costs few steps', async () => {
  const all = Array.from({ length: 200 }, (_, at) => ({ customerId: asCustomerId(BigInt(at + 1)) }));
  let steps = 0;
  await runApart(all, {
    ownerOf: (item) => item,
    step: async (group) => {
      steps += 1;
      if (group.some(({ customerId }) => customerId === 77n)) throw new Error('refused');
    },
    onCulprit: () => {},
  });
  expect(steps).toBeLessThanOrEqual(17);
});

test('what would fail for anybody is the caller’s, and nobody is blamed', async () => {
  const blamed: unknown[] = [];
  const away = runApart([{ customerId: asCustomerId(1n) }, { customerId: asCustomerId(2n) }], {
    ownerOf: (item) => item,
    step: () => Promise.reject(PASSING),
    onCulprit: (culprits) => blamed.push(culprits),
  });
  await expect(away).rejects.toBe(PASSING);
  expect(blamed).toEqual([]);
});
