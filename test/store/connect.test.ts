import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, describeAddress, waitForDatabase } from '../../src/store/connect.js';
import type { Sql } from '../../src/store/sql.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { quiet } from '../support/quiet.js';

let database: TestDatabase;
const opened: Sql[] = [];
beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true });
});
afterAll(async () => {
  await Promise.all(opened.map((sql) => sql.end({ timeout: 1 })));
  await database.drop();
});

function open(url: string): Sql {
  const sql = connectDatabase(url, { maxConnections: 1 });
  opened.push(sql);
  return sql;
}

describe('a connection', () => {
  test('carries BigInt both ways, times as dates, and arrays of text', async () => {
    const big = 9_007_199_254_740_993n;
    const at = new Date('2026-11-14T23:57:00.123Z');
    const [row] =
      await database.sql`select ${big}::bigint as big, ${at}::timestamptz as at, array['a b', null, ${'c'}] as many`;
    expect(row).toEqual({ big, at, many: ['a b', null, 'c'] });
  });

  test('takes a URL with the folder of a socket, and says who it is', async () => {
    const [row] = await open(database.url)`
      select current_database() as name, current_setting('application_name') as application`;
    expect(row).toEqual({ name: database.address.database, application: 'postrider' });
  });

  test('prepares statements, unless the URL says that a pooler is in between', async () => {
    const countPrepared = async (sql: Sql) => {
      await sql`select ${1}::integer`;
      const [row] = await sql<
        { count: bigint }[]
      >`select count(*) as count from pg_prepared_statements where name <> ''`;
      return row?.count;
    };
    expect(await countPrepared(open(database.url))).toBeGreaterThan(0n);
    expect(await countPrepared(open(`${database.url}&pgbouncer=true`))).toBe(0n);
    expect(await countPrepared(open(`${database.url}&prepare=false`))).toBe(0n);
  });

  test('is described without its password', () => {
    expect(describeAddress('postgres://me:hunter2@db:5433/postrider')).toBe('db:5433/postrider');
    expect(describeAddress('postgres://me:hunter2@one:5433,two/postrider')).toBe('one:5433,two:5432/postrider');
  });
});

describe('waiting for the database', () => {
  test('returns when it answers', async () => {
    await waitForDatabase(database.sql, { description: 'here', log: quiet });
  });

  test('says what it waits for, and gives up in the end', async () => {
    const port = await findFreePort();
    const lines: string[] = [];
    const log = { ...quiet, info: (message: string) => lines.push(message) };
    const waiting = waitForDatabase(open(`postgres://me@127.0.0.1:${port}/x`), {
      description: 'there',
      log,
      timeoutMs: 1,
    });
    await expect(waiting).rejects.toThrow(/The database there cannot be reached: .*ECONNREFUSED/);
    expect(lines.length).toBeLessThanOrEqual(1);
  });

  test('stops when told to', async () => {
    const aborted = AbortSignal.abort(new Error('enough'));
    const sql = open(`postgres://me@127.0.0.1:${await findFreePort()}/x`);
    await expect(waitForDatabase(sql, { description: 'there', log: quiet, signal: aborted })).rejects.toThrow('enough');
  });

  test('does not wait for what will not pass', async () => {
    const sql = open(database.url.replace(database.address.database, 'no_such_database'));
    await expect(waitForDatabase(sql, { description: 'there', log: quiet })).rejects.toThrow('no_such_database');
  });
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return address.port;
}
