// One failing item does not fail the others, wherever it is in the batch.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import { bisectFailures } from '../../../src/pipeline/quarantine/bisect-failures.js';
import { LeaseLostError } from '../../../src/store/channel/channel-lease.js';

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

test('the step is taken once for all that can, and the failing ones are named by task', async () => {
  await fc.assert(
    fc.asyncProperty(items, fc.uniqueArray(fc.integer({ min: 11, max: 65 })), async (all, bad) => {
      const isBad = ({ taskId }: Item) => bad.includes(Number(taskId));
      const done: Item[] = [];
      const named: Item[][] = [];
      await bisectFailures(all, {
        ownerOf: (item) => item,
        step: async (group) => {
          if (group.some(isBad)) throw new Error('refused');
          done.push(...group);
        },
        onFailure: (failing) => named.push([...failing]),
      });
      expect(done.map(({ at }) => at).sort((a, b) => a - b)).toEqual(
        all.filter((item) => !isBad(item)).map(({ at }) => at),
      );
      const failing = named.map((group) => [...new Set(group.map(({ taskId }) => Number(taskId)))]);
      expect(failing.every((tasks) => tasks.length === 1)).toBe(true);
      expect(failing.flat().sort()).toEqual([...new Set(all.filter(isBad).map(({ taskId }) => Number(taskId)))].sort());
    }),
  );
});

test('one cause among two hundred customers costs few steps', async () => {
  const all = Array.from({ length: 200 }, (_, at) => ({ customerId: asCustomerId(BigInt(at + 1)) }));
  let steps = 0;
  await bisectFailures(all, {
    ownerOf: (item) => item,
    step: async (group) => {
      steps += 1;
      if (group.some(({ customerId }) => customerId === 77n)) throw new Error('refused');
    },
    onFailure: () => {},
  });
  expect(steps).toBeLessThanOrEqual(17);
});

test('a transient error is not bisected, and the caller may throw it', async () => {
  const all = [{ customerId: asCustomerId(1n) }, { customerId: asCustomerId(2n) }];
  let steps = 0;
  const away = bisectFailures(all, {
    ownerOf: (item) => item,
    step: () => {
      steps += 1;
      return Promise.reject(PASSING);
    },
    onFailure(items, error) {
      expect(items).toEqual(all);
      throw error;
    },
  });
  await expect(away).rejects.toBe(PASSING);
  expect(steps).toBe(1);
});

test('more than a few customers may fail: each of them is found', async () => {
  const all = Array.from({ length: 40 }, (_, at) => ({ customerId: asCustomerId(BigInt(at + 1)) }));
  const named: bigint[] = [];
  await bisectFailures(all, {
    ownerOf: (item) => item,
    step: () => Promise.reject(new Error('refused')),
    onFailure: (items) => void named.push(...items.map(({ customerId }) => customerId)),
  });
  expect(named).toEqual(all.map(({ customerId }) => customerId));
});

/** Works through numbers of which some are bad, and says what was done, what failed, and how many tries it took. */
async function workThrough(count: number, isBad: (item: number) => boolean, error: Error = new Error('bad')) {
  const done: number[] = [];
  const failed: number[] = [];
  let tries = 0;
  await bisectFailures(
    Array.from({ length: count }, (_, at) => at),
    {
      async step(items) {
        tries += 1;
        if (items.some(isBad)) throw error;
        done.push(...items);
      },
      onFailure: (items) => void failed.push(...items),
    },
  );
  return { done, failed, tries };
}

test('one that is wrong fails alone, in few tries, and the others are done in their order', async () => {
  const { done, failed, tries } = await workThrough(1000, (item) => item === 617);
  expect(failed).toEqual([617]);
  expect(done).toEqual(Array.from({ length: 1000 }, (_, at) => at).filter((item) => item !== 617));
  expect(tries).toBeLessThan(25);
});

test('where all are wrong, it is soon given up', async () => {
  const { done, failed, tries } = await workThrough(1000, () => true);
  expect([done.length, failed.length]).toEqual([0, 1000]);
  expect(tries).toBeLessThan(50);
});

test('what is wrong with none of them is not looked for among them', async () => {
  const { failed, tries } = await workThrough(1000, () => true, new LeaseLostError([1n]));
  expect([failed.length, tries]).toEqual([1000, 1]);
});

test('the units of a task fail alone, in their order, until the cause is clearly shared; other tasks are not affected', async () => {
  const all = [1n, 2n, 3n].flatMap((task) =>
    Array.from({ length: 100 }, (_, at) => ({ customerId: asCustomerId(1n), taskId: asTaskId(task), at })),
  );
  const done: (typeof all)[number][] = [];
  const failed: (typeof all)[number][] = [];
  let tries = 0;
  await bisectFailures(all, {
    ownerOf: (item) => item,
    unitsOf: (ofTask) => ofTask.map((item) => [item]),
    async step(some) {
      tries += 1;
      if (some.some(({ taskId, at }) => taskId === 2n || (taskId === 3n && at === 61))) throw new Error('refused');
      done.push(...some);
    },
    onFailure: (some) => void failed.push(...some),
  });
  const isBad = ({ taskId, at }: (typeof all)[number]) => taskId === 2n || (taskId === 3n && at === 61);
  expect(failed).toEqual(all.filter(isBad));
  expect(done).toEqual(all.filter((item) => !isBad(item)));
  expect(tries).toBeLessThan(60);
});

test('when a lock is not granted, each task is tried once, and its units together', async () => {
  const all = [1n, 2n, 3n, 4n].flatMap((customer) => {
    const owner = { customerId: asCustomerId(customer), taskId: asTaskId(customer) };
    return [owner, { ...owner }];
  });
  const tried: bigint[][] = [];
  const failed: bigint[][] = [];
  await bisectFailures(all, {
    ownerOf: (item) => item,
    unitsOf: (ofTask) => ofTask.map((item) => [item]),
    async step(some) {
      tried.push(some.map(({ customerId }) => customerId));
      if (some.some(({ customerId }) => customerId === 3n)) throw new Error('locked');
    },
    splitAfter: () => 'tasks',
    onFailure: (some) => void failed.push(some.map(({ customerId }) => customerId)),
  });
  expect(tried.slice(1)).toEqual([1n, 2n, 3n, 4n].map((customer) => [customer, customer]));
  expect(failed).toEqual([[3n, 3n]]);
});
