import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningService, start } from '../../../src/app/start.js';
import { readConfig } from '../../../src/service/config.js';
import { checkSecretKey } from '../../../src/store/secrets/key-check.js';
import { createSealer } from '../../../src/store/secrets/seal.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  return () => database.drop();
});

test('the first key that comes to an empty database is the only one', async () => {
  const first = createSealer(randomBytes(32));
  await checkSecretKey(database.sql, first);
  await checkSecretKey(database.sql, first);
  await expect(checkSecretKey(database.sql, createSealer(randomBytes(32)))).rejects.toThrow('another secret key');
});

test('of two keys that come at the same moment one is refused', async () => {
  const keys = [createSealer(randomBytes(32)), createSealer(randomBytes(32))];
  const outcomes = await Promise.allSettled(keys.map((sealer) => checkSecretKey(database.sql, sealer)));
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a second process with a key of its own does not start, also while there is no customer yet', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-key-'));
  const services: RunningService[] = [];
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const startNode = async (name: string) => {
    const env = { POSTRIDER_DATABASE_URL: database.url, POSTRIDER_DATA_DIR: join(folder, name), POSTRIDER_PORT: '0' };
    services.push(await start(readConfig(env), { log: pino({ level: 'silent' }), onFailure: () => {} }));
  };
  try {
    await startNode('one');
    await expect(startNode('two')).rejects.toThrow('made with another secret key');
  } finally {
    for (const service of services) await service.stop();
  }
});
