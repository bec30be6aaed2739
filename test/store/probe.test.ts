import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { createDatabaseProbe } from '../../src/store/probe.js';
import type { Sql } from '../../src/store/sql.js';

// The questions are given, so that no database is needed.
const nowhere = {} as Sql;

test('a question that is never answered is given up within two seconds, and asked once for all who wait', async () => {
  let asked = 0;
  const probe = createDatabaseProbe(nowhere, () => {
    asked += 1;
    return new Promise<never>(() => {});
  });
  const startedMs = performance.now();
  expect(await Promise.all([probe(), probe(), probe()])).toEqual([false, false, false]);
  expect(performance.now() - startedMs).toBeLessThan(2000);
  expect(asked).toBe(1);
});

test('what is answered is asked anew the next time, and a failure is no sign of life', async () => {
  const answers = [async () => [], () => Promise.reject(new Error('the connection was refused')), async () => []];
  const probe = createDatabaseProbe(nowhere, () => (answers.shift() ?? expect.fail('asked once too often'))());
  expect([await probe(), await probe(), await probe()]).toEqual([true, false, true]);
});
