// A transaction whose commit is sent with its last statements.

import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../src/store/connect.js';
import { lastCommit } from '../../src/store/connection/commit-position.js';
import { readServer } from '../../src/store/recovery/timeline.js';
import { isOutcomeUnknown } from '../../src/store/retry.js';
import { transact } from '../../src/store/transact.js';
import { createTestDatabase, listensAt, type TestDatabase } from '../support/database.js';
import { startTcpProxy } from '../support/network/tcp-proxy.js';
import { until } from '../support/until.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql`create table written (n int check (n < 10))`;
});
afterAll(() => database.drop());
beforeEach(() => database.sql`truncate written`);

const readWritten = async () =>
  (await database.sql<{ n: number }[]>`select n from written order by n`).map(({ n }) => n);

test('gives its result, and what it ended with is there', async () => {
  const result = await transact(database.sql, async (tx) => {
    await tx`insert into written values (1)`;
    return {
      result: 'done',
      end: () => Promise.all([tx`insert into written values (2)`, tx`insert into written values (3)`]),
    };
  });
  expect(result).toBe('done');
  expect(await readWritten()).toEqual([1, 2, 3]);
});

test('says what was refused in its end, and has written nothing', async () => {
  const refused = transact(database.sql, async (tx) => {
    await tx`insert into written values (1)`;
    return {
      result: 'done',
      end: () => Promise.all([tx`insert into written values (2)`, tx`insert into written values (99)`]),
    };
  });
  await expect(refused).rejects.toThrow('violates check constraint');
  expect(await readWritten()).toEqual([]);
});

test('notes how far the log goes at least, only if it wrote', async () => {
  const sql = connectDatabase(database.address, { maxConnections: 1 });
  onTestFinished(() => sql.end());
  const { timeline } = await readServer(sql);
  await transact(sql, async (tx) => ({
    result: 'done',
    end: async () => await tx`update written set n = 2 where n = 1`,
  }));
  // No commit record follows: at the next look the log would seem to end before this commit.
  expect(lastCommit(sql, timeline)).toBeUndefined();
  await transact(sql, async (tx) => ({ result: 'done', end: async () => await tx`insert into written values (1)` }));
  const last = lastCommit(sql, timeline);
  expect(last).toBeDefined();
  expect((await readServer(sql)).position).toBeGreaterThan(last ?? 0n);
});

test('rolls back when it does not come to its end', async () => {
  const failed = transact(database.sql, async (tx) => {
    await tx`insert into written values (1)`;
    throw new Error('changed our mind');
  });
  await expect(failed).rejects.toThrow('changed our mind');
  expect(await readWritten()).toEqual([]);
});

test('is committed without waiting for the answers to its last statements', async () => {
  const { username, database: name } = database.address;
  const proxy = await startTcpProxy(listensAt(database.address));
  const far = connectDatabase(`postgres://${username}@127.0.0.1:${proxy.port}/${name}`, { maxConnections: 1 });
  onTestFinished(async () => {
    await far.end({ timeout: 1 });
    await proxy.close();
  });
  // The driver sends more than a kilobyte in two pieces. Prepared here, the statement that reads the position is short, and all goes in one.
  await transact(far, async (tx) => ({ result: 'done', end: async () => await tx`delete from written` }));
  const lost = proxy.loseAnswerTo(/insert into written/);
  const error = await transact(far, async (tx) => {
    await tx`select 1`;
    return { result: 'done', end: async () => await tx`insert into written values (1)` };
  }).catch((error: unknown) => error);
  await lost;
  expect(isOutcomeUnknown(error)).toBe(true);
  await until('the commit', async () => (await readWritten()).length === 1);
});
