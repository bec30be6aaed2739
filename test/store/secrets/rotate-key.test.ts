// The secret key and the root token are replaced while the service runs.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorClient, PostriderClient } from '@postrider/client';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningService, start } from '../../../src/app/start.js';
import { runCommandLine } from '../../../src/cli/main.js';
import { splitRotation } from '../../../src/domain/access/rotation.js';
import { readConfig } from '../../../src/service/config.js';
import { loadSecretKeys } from '../../../src/service/secrets.js';
import { rotateKey } from '../../../src/store/secrets/rotate-key.js';
import { createSealer, totpContext } from '../../../src/store/secrets/seal.js';
import { SEALED_COLUMNS } from '../../../src/store/secrets/sealed-columns.js';
import { createTestTerminal } from '../../cli/capture.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { findLockWaits } from '../../support/lock-waits.js';
import { quiet } from '../../support/quiet.js';
import { until } from '../../support/until.js';

const OLD = 'the-secret-key-of-yesterday';
const NEW = 'the-secret-key-of-tomorrow';
const OLD_TOKEN = 'root-token-of-yesterday';
const NEW_TOKEN = 'root-token-of-tomorrow';

let database: TestDatabase;
let folder: string;
let services: RunningService[];

beforeEach(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'postrider-rotate-'));
  services = [];
});
afterEach(async () => {
  for (const service of services) await service.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function environment(key: string, token = OLD_TOKEN) {
  return {
    POSTRIDER_DATABASE_URL: database.url,
    POSTRIDER_DATA_DIR: folder,
    POSTRIDER_PORT: '0',
    POSTRIDER_SECRET_KEY: key,
    POSTRIDER_OPERATOR_TOKEN: token,
    POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8',
  };
}

async function startWith(key: string, token?: string): Promise<RunningService> {
  const log = pino({ level: 'silent' });
  const service = await start(readConfig(environment(key, token)), { log, onFailure: () => {} });
  services.push(service);
  return service;
}

async function rotate(key: string) {
  const terminal = createTestTerminal({ folder, env: environment(key) });
  const code = await runCommandLine(['rotate-secret-key', '--json'], terminal);
  return { code, out: terminal.out.text, err: terminal.err.text };
}

/** A secret in every sealed column. */
async function createSecrets({ url }: RunningService) {
  const operator = new OperatorClient({ baseUrl: url, token: OLD_TOKEN });
  const customer = await operator.createCustomer({ name: 'Acme', unit_price: '0.05' });
  const { api_key: apiKey, api_secret: apiSecret } = await operator.createCredential(customer.customer_no, {});
  const config = { host: '127.0.0.1', port: 2775, system_id: 'acme', password: 'secret' };
  await operator.createFirm({ firm: 'cmcc', name: 'China Mobile', prefixes: ['86138'] });
  await operator.createChannel({ name: 'smpp', kind: 'smpp', firms: ['cmcc'], status: 'disabled', config });
  const { user_no } = await operator.createUser({ email: 'ann@example.com', name: 'Ann', role: 'viewer' });
  const { secretKey } = await loadSecretKeys({ dataDir: folder, secretKey: OLD }, quiet);
  const totp = createSealer(secretKey).seal('secret', totpContext({ user_no }));
  await database.sql`update console_user set totp_sealed = ${totp} where user_no = ${user_no}`;
  await operator.createErasure({ phone: '13900139001' });
  // It stays to be done.
  await database.sql`update erasure set created_at = now() + interval '1 day'`;
  const client = new PostriderClient({ baseUrl: url, apiKey, apiSecret });
  const { webhook_no } = await client.createWebhook({ url: 'http://127.0.0.1:9/', events: ['receipts'] });
  await client.rotateWebhook(webhook_no);
  return { apiKey, apiSecret };
}

/** How many values of each column the key opens alone. */
async function countOpened(key: string): Promise<Record<string, number>> {
  const sealer = createSealer((await loadSecretKeys({ dataDir: folder, secretKey: key }, quiet)).secretKey);
  const counts: Record<string, number> = {};
  for (const { table, column, contextOf } of SEALED_COLUMNS) {
    const rows = await database.sql.unsafe(`select *, ${column} as sealed from ${table} where ${column} is not null`);
    counts[`${table}.${column}`] = rows.filter((row) => {
      try {
        sealer.open(row.sealed, contextOf(row));
        return true;
      } catch {
        return false;
      }
    }).length;
  }
  return counts;
}

test('every column of bytes is known to be sealed, or not to be', async () => {
  const rows = await database.sql<{ name: string }[]>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' order by 1`;
  const notSealed = ['chunk.part_states', 'chunk.results', 'passkey.public_key', 'task.fingerprint'];
  const sealed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(rows.map(({ name }) => name)).toEqual([...notSealed, ...sealed].sort());
});

test('the keys change places while the service runs, and the old one can go', async () => {
  const first = await startWith(OLD);
  const { apiKey, apiSecret } = await createSecrets(first);
  const callAt = (service: RunningService) =>
    new PostriderClient({ baseUrl: service.url, apiKey, apiSecret }).balances();
  const all = Object.fromEntries(SEALED_COLUMNS.map(({ table, column }) => [`${table}.${column}`, 1]));
  const none = Object.fromEntries(Object.keys(all).map((name) => [name, 0]));
  expect(await countOpened(OLD)).toEqual(all);

  const second = await startWith(`${NEW},${OLD}`);
  await callAt(second);
  await until('both nodes', async () => (await database.sql`select 1 from node`).length === 2);
  const early = await rotate(`${NEW},${OLD}`);
  expect(early.code).toBe(1);
  expect(early.err).toContain('seal with another key');
  expect(JSON.parse(early.out)).toMatchObject({ can_remove_old: false });
  expect(await countOpened(NEW)).toEqual(all);
  expect(await countOpened(OLD)).toEqual(none);
  // It runs on: what it has open stays open.
  await callAt(first);
  await first.stop();

  const again = await rotate(`${NEW},${OLD}`);
  expect(again).toMatchObject({ code: 0, err: expect.stringContaining('The old key can go') });
  const { columns } = JSON.parse(again.out);
  expect(columns).toHaveLength(SEALED_COLUMNS.length);
  for (const column of columns) expect(column).toMatchObject({ values: 1, resealed: 0, unopened: 0 });
  const [audited] = await database.sql`select action, change from audit where action = 'secret_key.rotate'`;
  expect(audited).toEqual({ action: 'secret_key.rotate', change: { resealed: SEALED_COLUMNS.length } });

  await second.stop();
  await callAt(await startWith(NEW));
  await expect(startWith(OLD)).rejects.toThrow('POSTRIDER_SECRET_KEY');
});

test('a value that changes between the look and the write stays as it was changed', async () => {
  await createSecrets(await startWith(OLD));
  const { sql } = database;
  const keys = await loadSecretKeys({ dataDir: folder, secretKey: `${NEW},${OLD}` }, quiet);
  const current = createSealer(keys.secretKey);
  const both = createSealer(keys.secretKey, keys.oldSecretKey);
  const changed = current.seal('changed meanwhile', 'elsewhere');
  let rotating: Promise<unknown> | undefined;
  await sql.begin(async (tx) => {
    await tx`update channel set secret_sealed = ${changed}`;
    rotating = rotateKey(sql, { current, both }, new AbortController().signal);
    await until('a lock wait', async () => (await findLockWaits(sql)).length > 0);
  });
  await rotating;
  const [row] = await sql<{ secret_sealed: Buffer }[]>`select secret_sealed from channel`;
  expect(row?.secret_sealed).toEqual(changed);
});

test('a comma separates two whole secrets, and belongs to any other one', () => {
  expect(splitRotation(`${NEW}, ${OLD}`)).toEqual([NEW, OLD]);
  for (const text of [NEW, `${NEW},`, `${NEW},${NEW}`, `${NEW},short`, `short,${OLD}`, `${NEW},${OLD},${OLD_TOKEN}`]) {
    expect(splitRotation(text)).toEqual([text]);
  }
});

test('rotating with one key says what is missing', async () => {
  const { code, err } = await rotate(NEW);
  expect(code).toBe(2);
  expect(err).toContain('holds one key');
});

test('two root tokens are accepted, and the command line uses the new one', async () => {
  const tokens = `${NEW_TOKEN},${OLD_TOKEN}`;
  const { url } = await startWith(OLD, tokens);
  for (const token of [NEW_TOKEN, OLD_TOKEN]) {
    expect(await new OperatorClient({ baseUrl: url, token }).platform()).toHaveProperty('nodes');
  }
  await expect(new OperatorClient({ baseUrl: url, token: tokens }).platform()).rejects.toMatchObject({ status: 401 });
  const env = { ...environment(OLD, tokens), POSTRIDER_URL: url };
  const terminal = createTestTerminal({ folder, env });
  expect(await runCommandLine(['customer', 'list', '--json'], terminal), terminal.err.text).toBe(0);
});
