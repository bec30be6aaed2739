import { expect, onTestFinished, test } from 'vitest';
import { startWake, type Wake } from '../../src/pipeline/wake.js';
import { createTestDatabase } from '../support/database.js';

async function startTwo(): Promise<[Wake, Wake]> {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const options = { sql: database.sql, listen: true, warn: () => {} };
  const wakes: [Wake, Wake] = [await startWake(options), await startWake(options)];
  onTestFinished(() => Promise.all(wakes.map((wake) => wake.stop())).then(() => undefined));
  return wakes;
}

test('work in a bucket wakes who looks after it, and who looks after all of them, in every process', async () => {
  const [here, there] = await startTwo();
  const before = [here, there].map((wake) => wake.count('prepare', 2));
  const never = new AbortController();
  const woken = [here, there].flatMap((wake) => [
    wake.wait('prepare', wake.count('prepare', 1), 60_000, never.signal, 1),
    wake.wait('prepare', wake.count('prepare'), 60_000, never.signal),
  ]);
  here.notify('prepare', 1);
  await Promise.all(woken);
  expect([here, there].map((wake) => wake.count('prepare', 2))).toEqual(before);
});

test('work without a bucket wakes all loops, and so does work in very many buckets', async () => {
  const [here, there] = await startTwo();
  const never = new AbortController();
  const hear = () => there.wait('dispatch', there.count('dispatch', 500), 60_000, never.signal, 500);
  let heard = hear();
  here.notify('dispatch');
  await heard;
  heard = hear();
  for (let bucket = 0; bucket < 100; bucket += 1) here.notify('dispatch', bucket);
  await heard;
});
