// Connections that end and are opened again, and statements that are given another text.

import { Socket } from 'node:net';
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { connectDatabase, formatUrl } from '../../../src/store/connect.js';
import { postgres } from '../../../src/store/driver/index.js';
import { createTestDatabase } from '../../support/database.js';

async function createDatabase() {
  const database = await createTestDatabase({ isEmpty: true });
  onTestFinished(() => database.drop());
  return database;
}

test('a connection that ends while a statement waits to be written can be opened again', async () => {
  const database = await createDatabase();
  const address = new URL(formatUrl(database.address));
  const host = address.searchParams.get('host');
  const sockets: Socket[] = [];
  const socket = () => {
    const opened = new Socket();
    sockets.push(opened);
    return host === null
      ? opened.connect(Number(address.port), address.hostname)
      : opened.connect(`${host}/.s.PGSQL.${address.port}`);
  };
  const options = { max: 1, connect_timeout: 5, username: address.username };
  const sql = postgres({ ...options, database: address.pathname.slice(1), socket });
  onTestFinished(() => sql.end({ timeout: 0 }));
  await sql`select 1`;

  sockets[0]?.destroy();
  // The driver learns of the end after this phase of the event loop, and writes what it gets in this phase in the next one.
  await nextImmediate();
  const waiting = sql`select 2`.execute().catch((error) => error.code);
  expect(await waiting).toBe('CONNECTION_CLOSED');
  expect(await sql`select 3 as is_open`).toEqual([{ is_open: 3 }]);
  expect(sockets).toHaveLength(2);
});

test('an interceptor gives statements another text, which one connection prepares apart from the first', async () => {
  const database = await createDatabase();
  const sql = connectDatabase(database.address, { maxConnections: 1 });
  onTestFinished(() => sql.end({ timeout: 1 }));
  let written = 0;
  const other = sql.intercept((query, send) => {
    query.rewrittenFor = 'other ';
    query.rewrite = (text) => {
      written += 1;
      return text.replace('plain', 'rewritten');
    };
    send(query);
  });
  const read = async (handle: typeof sql, n: number) =>
    (await handle<{ text: string }[]>`select ${n} || ' plain' as text`)[0]?.text;
  expect(await read(sql, 1)).toBe('1 plain');
  expect([await read(other, 2), await read(other, 3)]).toEqual(['2 rewritten', '3 rewritten']);
  expect(await read(sql, 4)).toBe('4 plain');
  expect(written).toBe(1);
});

test('a statement that an interceptor refuses is not sent, and its transaction can go on', async () => {
  const database = await createDatabase();
  const sql = connectDatabase(database.address, { maxConnections: 1 });
  onTestFinished(() => sql.end({ timeout: 1 }));
  const answer = await sql.begin(async (tx) => {
    const careful = tx.intercept((query, send) => {
      if (query.strings[0]?.startsWith('drop') === true) throw new Error('not here');
      send(query);
    });
    await expect(careful`drop schema public`).rejects.toThrow('not here');
    return await careful`select 1 as one`;
  });
  expect(answer).toEqual([{ one: 1 }]);
});

test('the errors of a pool are known before its caller gets them', async () => {
  const database = await createDatabase();
  const sql = connectDatabase(database.address, { maxConnections: 1 });
  onTestFinished(() => sql.end({ timeout: 1 }));
  const faults: string[] = [];
  sql.options.onfault = (error) => void faults.push((error as { code: string }).code);
  const codes = await Promise.all([
    sql`select 1 / 0`.catch((error) => [error.code, ...faults]),
    sql
      .begin((tx) => tx`select pg_terminate_backend(pg_backend_pid())`)
      .catch((error) => [error.code, ...faults.slice(1, 2)]),
  ]);
  expect(codes).toEqual([
    ['22012', '22012'],
    ['CONNECTION_CLOSED', 'CONNECTION_CLOSED'],
  ]);
});
