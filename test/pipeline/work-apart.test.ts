import { expect, test } from 'vitest';
import { workApart } from '../../src/pipeline/work-apart.js';
import { LeaseLostError } from '../../src/store/channel/channel-lease.js';

/** Works through numbers of which some are bad, and says what was done, what failed, and how many tries it took. */
async function workThrough(count: number, isBad: (item: number) => boolean, error: Error = new Error('bad')) {
  const done: number[] = [];
  const failed: number[] = [];
  let tries = 0;
  await workApart(
    Array.from({ length: count }, (_, at) => at),
    {
      async work(items) {
        tries += 1;
        if (items.some(isBad)) throw error;
        done.push(...items);
      },
      failed: (items) => void failed.push(...items),
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
