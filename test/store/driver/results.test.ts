// The driver's own fault: a result that was cut off leaves holes at the beginning of the next one on its connection.

import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../../src/store/connect.js';
import type { Sql } from '../../../src/store/sql.js';
import { createTestDatabase, listensAt, type TestDatabase } from '../../support/database.js';
import { startTcpProxy } from '../../support/network/tcp-proxy.js';
import { until } from '../../support/until.js';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  sql = connectDatabase(database.address, { maxConnections: 1 });
});
afterEach(() => sql.end());

const readNumbers = () => sql<{ n: number }[]>`select n from generate_series(1, 3) n`;

test('a result behind one that failed in its middle is whole', async () => {
  await expect(sql`select 1 / (3 - n) from generate_series(1, 5) n`).rejects.toThrow('division by zero');
  expect([...(await readNumbers())]).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test('so is one that was asked for while that was under way, within a transaction and outside', async () => {
  const failing = sql`select 1 / (3 - n) from generate_series(1, 5) n`.catch(() => 'failed');
  const [first, , third] = await readNumbers();
  expect([await failing, first, third]).toEqual(['failed', { n: 1 }, { n: 3 }]);
  await sql`select 1 / (3 - n) from generate_series(1, 5) n`.catch(() => {});
  expect((await sql.begin((tx) => tx`select n from generate_series(1, 3) n`)).map(({ n }) => n)).toEqual([1, 2, 3]);
});

test('a result on a connection that was lost in the middle of another is whole', async () => {
  const { username, database: name } = database.address;
  const proxy = await startTcpProxy(listensAt(database.address));
  const far = connectDatabase(`postgres://${username}@127.0.0.1:${proxy.port}/${name}`, { maxConnections: 1 });
  onTestFinished(async () => {
    await far.end();
    await proxy.close();
  });
  const [{ pid } = { pid: 0 }] = await far<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const cut = far`
    select repeat('x', 100000), pg_sleep(case when n = 4 then 60 else 0 end) from generate_series(1, 5) n`;
  const lost = expect(cut).rejects.toThrow('CONNECTION_CLOSED');
  await until('a result that is under way', async () => {
    const [row] = await database.sql`select wait_event from pg_stat_activity where pid = ${pid}`;
    return row?.wait_event === 'PgSleep';
  });
  proxy.cut();
  await lost;
  expect([...(await far`select n from generate_series(1, 3) n`)]).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});
