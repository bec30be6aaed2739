// A network between service and database that fails without a word.

import { performance } from 'node:perf_hooks';
import { PostriderError } from '@postrider/client';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { connectDatabase } from '../../src/store/connect.js';
import { createSender } from '../support/campaign.js';
import { createTestDatabase, listensAt, type TestDatabase } from '../support/database.js';
import { startTcpProxy, type TcpProxy } from '../support/network/tcp-proxy.js';
import { buildCode } from '../support/service-process.js';
import { type SpawnedProcess, type SpawnedService, spawnService, spawnUnready } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

/** What is promised, and what a busy machine adds to it. */
const READY_MS = 2000 + 5000;
const STOP_MS = 15_000;

const closers: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
let proxy: TcpProxy;
let url: string;

beforeAll(buildCode);
beforeEach(async () => {
  database = await createTestDatabase();
  const { username, database: name } = database.address;
  proxy = await startTcpProxy(listensAt(database.address));
  url = `postgres://${username}@127.0.0.1:${proxy.port}/${name}`;
  closers.push(database.drop, proxy.close);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startProcess(): Promise<SpawnedService> {
  const service = await spawnService({ databaseUrl: url });
  closers.push(() => service.end('SIGKILL'));
  onTestFailed(() => tell(service.log()));
  return service;
}

async function readyWithin(service: SpawnedService): Promise<number> {
  const startedMs = performance.now();
  const { status } = await fetch(`${service.url}/readyz`);
  expect(performance.now() - startedMs).toBeLessThan(READY_MS);
  return status;
}

async function stopWithin(service: SpawnedProcess): Promise<void> {
  const startedMs = performance.now();
  expect(await service.end('SIGTERM')).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(STOP_MS);
}

describe('readiness', () => {
  test('is answered within seconds, whatever the database does', async () => {
    const service = await startProcess();
    expect(await readyWithin(service)).toBe(200);
    proxy.goSilent();
    for (let round = 0; round < 3; round += 1) expect(await readyWithin(service)).toBe(503);
    proxy.forward();
    await until('it is ready again', async () => (await readyWithin(service)) === 200, 20_000);
    proxy.delay(700);
    expect([200, 503]).toContain(await readyWithin(service));
  });
});

describe('SIGTERM ends the process in time', () => {
  test('while the database is silent', async () => {
    const service = await startProcess();
    proxy.goSilent();
    expect(await readyWithin(service)).toBe(503);
    await stopWithin(service);
  });

  test('while the database is away', async () => {
    const service = await startProcess();
    await proxy.close();
    expect(await readyWithin(service)).toBe(503);
    await stopWithin(service);
  });

  test('before a silent database was reached', async () => {
    proxy.goSilent();
    const service = spawnUnready({ databaseUrl: url });
    closers.push(() => service.end('SIGKILL'));
    await until('the process has connected', () => proxy.connections() > 0);
    await stopWithin(service);
  });
});

describe('a connection on which nothing comes any more', () => {
  test('is given up, and what waited for it is told', async () => {
    const sql = connectDatabase(url, { maxConnections: 1, statementTimeoutMs: 500 });
    closers.push(() => sql.end({ timeout: 0 }));
    await sql`select 1`;
    proxy.goSilent();
    await expect(sql`select 1`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    proxy.forward();
    // At once: the driver must not take the lost connection for a good one.
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test('is not mistaken for one whose statement takes its time', async () => {
    const sql = connectDatabase(url, { maxConnections: 1, statementTimeoutMs: 500 });
    closers.push(() => sql.end({ timeout: 0 }));
    await expect(sql`select pg_sleep(3)`).rejects.toMatchObject({ code: '57014' });
  });

  test('ends a transaction, whose locks the server has long let go of', async () => {
    const sql = connectDatabase(url, { maxConnections: 1, statementTimeoutMs: 500 });
    closers.push(() => sql.end({ timeout: 0 }));
    const lost = sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(1)`;
      proxy.goSilent();
      await tx`select 1`;
    });
    await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    await until('the lock is free', async () => {
      const [row] = await database.sql<{ free: boolean }[]>`select pg_try_advisory_xact_lock(1) as free`;
      return row?.free;
    });
  });
});

describe('a commit whose answer is lost', () => {
  test('is answered with an unknown outcome, and the task is there to be found', async () => {
    const service = await startProcess();
    const sender = await createSender(service.url, [], { name: 'ann' });
    const client = sender.at(service.url, 1);
    const request = { template_no: sender.templateNo, phones: ['13800138000'], client_request_id: 'lost-answer' };
    const lost = proxy.loseAnswerTo(/lost-answer/);
    const error: PostriderError = await client.send(request).then(
      () => expect.fail('the send was answered'),
      (caught) => caught,
    );
    await lost;
    expect(error).toBeInstanceOf(PostriderError);
    expect(error).toMatchObject({ status: 503, code: 'unavailable', isOutcomeUnknown: true });
    expect(error.detail).toContain('client_request_id=lost-answer');
    expect(error.detail).not.toMatch(/nothing was done/i);
    const [task] = (await client.tasks({ clientRequestId: 'lost-answer' }).page()).items;
    expect(task?.client_request_id).toBe('lost-answer');
    expect((await client.send(request)).task_no).toBe(task?.task_no);
  });
});
