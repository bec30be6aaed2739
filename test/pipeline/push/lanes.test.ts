// Lanes are shared fairly: every job gets its turn, and one customer gets its share and no more.

import { expect, it } from 'vitest';
import { asCustomerId } from '../../../src/domain/id.js';
import { createLanes, type Lanes } from '../../../src/pipeline/push/lanes.js';

/** Jobs that run until the test ends them; tells in which order they began. */
function createJobs(lanes: Lanes) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (customer: number, name: string) => {
    const key = `${customer}/${name}`;
    const run = () => {
      began.push(key);
      return new Promise<void>((end) => ends.set(key, end));
    };
    lanes.add({ key, customerId: asCustomerId(BigInt(customer)), run });
  };
  const end = async (key: string) => {
    ends.get(key)?.();
    await new Promise(setImmediate);
  };
  return { began, add, end };
}

it('a customer with many jobs does not hold up the others, and customers take turns', async () => {
  const lanes = createLanes({ total: 3, perCustomer: 2 });
  const { began, add, end } = createJobs(lanes);
  for (const name of ['a', 'b', 'c', 'd']) add(1, name);
  expect(began).toEqual(['1/a', '1/b']);
  add(2, 'a');
  add(2, 'b');
  add(3, 'a');
  expect(began).toEqual(['1/a', '1/b', '2/a']);
  expect(lanes.waiting()).toBe(4);
  await end('1/a');
  await end('1/b');
  await end('2/a');
  expect(began.slice(3)).toEqual(['1/c', '2/b', '3/a']);
  expect(lanes.has('1/d')).toBe(true);
  expect(lanes.has('1/a')).toBe(false);
});

it('with more jobs than lanes that come again at once, every one is run', async () => {
  const lanes = createLanes({ total: 2, perCustomer: 2 });
  const { began, add, end } = createJobs(lanes);
  for (let customer = 1; customer <= 5; customer += 1) add(customer, 'a');
  for (let turns = 0; turns < 8; turns += 1) {
    const key = began[turns] ?? '';
    await end(key);
    add(Number(key.split('/')[0]), 'a');
  }
  expect(new Set(began.slice(0, 5)).size).toBe(5);
  expect(new Set(began.slice(5)).size).toBe(5);
});

it('draining forgets what waits and ends with what runs', async () => {
  const lanes = createLanes({ total: 1, perCustomer: 1 });
  const { began, add, end } = createJobs(lanes);
  add(1, 'a');
  add(1, 'b');
  const drained = lanes.drain();
  await end('1/a');
  await drained;
  expect(began).toEqual(['1/a']);
});
