// The database driver as it is installed here, against a real server.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { formatUrl } from '../../src/store/connect.js';
import { createTestDatabase } from '../support/database.js';
import { checkout } from '../support/service-process.js';

const run = promisify(execFile);
const DRIVER = 'node_modules/postgres/src/connection.js';
const CANCEL = '    clearImmediate(nextWriteTimer)\n';

async function copyCheckout(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider driver '));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(checkout, 'scripts'), join(folder, 'scripts'), { recursive: true });
  await mkdir(join(folder, 'node_modules/postgres/src'), { recursive: true });
  return folder;
}

const patchIn = (folder: string) => run(process.execPath, [join(folder, 'scripts/patch-driver.mjs')]);

test('a connection that ends while a statement waits to be written can be opened again', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
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
  const options = { max: 1, fetch_types: false, connect_timeout: 5, username: address.username };
  const sql = postgres({ ...options, database: address.pathname.slice(1), socket } as postgres.Options<never>);
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

test('it is repaired once, and left alone afterwards', async () => {
  const folder = await copyCheckout();
  const driver = join(folder, DRIVER);
  const repaired = await readFile(join(checkout, DRIVER), 'utf8');
  const asPublished = repaired.replaceAll(`${CANCEL}    chunk = nextWriteTimer = null\n`, CANCEL);
  expect(asPublished).not.toBe(repaired);
  await writeFile(driver, asPublished);
  for (const _ of [1, 2]) {
    await patchIn(folder);
    expect(await readFile(driver, 'utf8')).toBe(repaired);
  }
});

test('another driver is refused with a sentence', async () => {
  const folder = await copyCheckout();
  await writeFile(join(folder, DRIVER), 'export {}\n');
  await expect(patchIn(folder)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not the driver that scripts/patch-driver.mjs repairs'),
  });
});
