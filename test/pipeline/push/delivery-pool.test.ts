// The pool is shared fairly: every delivery runs, and one customer gets its share and no more.

import { expect, it } from 'vitest';
import { asCustomerId } from '../../../src/domain/id.js';
import { createDeliveryPool, type DeliveryPool } from '../../../src/pipeline/push/delivery-pool.js';

/** Deliveries that run until the test ends them; tells in which order they began. */
function createDeliveries(pool: DeliveryPool) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (customer: number, name: string) => {
    const key = `${customer}/${name}`;
    const run = () => {
      began.push(key);
      return new Promise<void>((end) => ends.set(key, end));
    };
    pool.add({ key, customerId: asCustomerId(BigInt(customer)), run });
  };
  const end = async (key: string) => {
    ends.get(key)?.();
    await new Promise(setImmediate);
  };
  return { began, add, end };
}

it('a customer with many deliveries does not hold up the others', async () => {
  const pool = createDeliveryPool({ total: 3, perCustomer: 2 });
  const { began, add, end } = createDeliveries(pool);
  for (const name of ['a', 'b', 'c', 'd']) add(1, name);
  expect(began).toEqual(['1/a', '1/b']);
  add(2, 'a');
  add(2, 'b');
  add(3, 'a');
  expect(began).toEqual(['1/a', '1/b', '2/a']);
  expect(pool.waiting()).toBe(4);
  await end('1/a');
  await end('1/b');
  await end('2/a');
  expect(began.slice(3)).toEqual(['1/c', '2/b', '3/a']);
  expect(pool.has('1/d')).toBe(true);
  expect(pool.has('1/a')).toBe(false);
});

it('with more deliveries than the pool has room for, that come again at once, every one is run', async () => {
  const pool = createDeliveryPool({ total: 2, perCustomer: 2 });
  const { began, add, end } = createDeliveries(pool);
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
  const pool = createDeliveryPool({ total: 1, perCustomer: 1 });
  const { began, add, end } = createDeliveries(pool);
  add(1, 'a');
  add(1, 'b');
  const drained = pool.drain();
  await end('1/a');
  await drained;
  expect(began).toEqual(['1/a']);
});
