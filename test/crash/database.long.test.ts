// The database loses its connections under load, also in the middle of commits. Nothing may be lost or doubled by it, and
// the service goes on by itself.

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import { connectDatabase, formatUrl } from '../../src/store/connect.js';
import { type EmbeddedAddress, startEmbeddedPostgres } from '../../src/store/embedded/start.js';
import type { Sql } from '../../src/store/sql.js';
import { createRandom } from '../../tools/message-centre/fate.js';
import {
  awaitOutcomes,
  checkBooks,
  checkUpstream,
  countSubmits,
  countUnknown,
  createChannels,
  createPhones,
  createSender,
  sendNumbers,
} from '../support/campaign.js';
import { createTestDatabase } from '../support/database.js';
import { quiet } from '../support/quiet.js';
import { buildCode } from '../support/service-process.js';
import { spawnCentre, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const isCampaign = process.env.CAMPAIGN === 'full';
const NUMBERS = isCampaign ? 20_000 : 4000;
const SEED = Number(process.env.CAMPAIGN_SEED ?? Date.now() % 1_000_000);

const closers: (() => Promise<unknown>)[] = [];

beforeAll(buildCode);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startService(databaseUrl: string) {
  const centre = await spawnCentre(['--answer-ms', '2', '--receipt-ms', '20']);
  closers.push(() => centre.end('SIGKILL'));
  const service = await spawnService({ databaseUrl });
  closers.push(() => service.end('SIGKILL'));
  onTestFailed(() => tell(service.log()));
  const config = { host: '127.0.0.1', port: centre.port, system_id: 'test', password: 'secret', window: 50 };
  const channels = await createChannels(service.url, [{ name: 'SMPP', kind: 'smpp', config }]);
  const sender = await createSender(service.url, channels, { name: 'Busy' });
  return { centre, service, sender };
}

/** Connections of the test itself, by another name than those of the service. */
function open(address: EmbeddedAddress): Sql {
  const sql = connectDatabase(address, { maxConnections: 1, applicationName: 'test' });
  closers.push(() => sql.end({ timeout: 1 }));
  return sql;
}

test(`backends are terminated at random moments under load, seed ${SEED}`, async () => {
  const database = await createTestDatabase();
  closers.push(database.drop);
  const { centre, service, sender } = await startService(database.url);
  const sql = open(database.address);
  const random = createRandom(SEED);
  const sent = sendNumbers(service.url, sender, { count: NUMBERS, taskSize: 500, name: 'drop' });
  let terminated = 0;
  const stop = new AbortController();
  const terminate = async () => {
    while (!stop.signal.aborted) {
      // One at a time, whatever it is doing; every now and then all of them.
      const share = random() < 0.1 ? 1 : 0.15;
      const rows = await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = ${database.address.database} and application_name = 'postrider' and random() < ${share}`;
      terminated += rows.length;
      await sleep(random() * 60);
    }
  };
  const terminating = terminate();
  await sent;
  await until('half of the parts are sent', async () => (await countSubmits(sql)) >= NUMBERS / 2, 120_000);
  stop.abort();
  await terminating;
  expect(terminated).toBeGreaterThan(5);
  await awaitOutcomes(sql, NUMBERS);
  await until('every receipt is acknowledged', async () => (await centre.counts()).pending === 0);
  await checkBooks(sql, NUMBERS);
  await checkUpstream(sql, (await centre.counts()).by_destination);
  tell(`seed ${SEED}: ${terminated} backends terminated, ${await countUnknown(sql)} unknown`);
  expect(service.child.exitCode).toBeNull();
  expect(await service.end('SIGTERM')).toBe(0);
}, 300_000);

test('while the database server is away the API answers 503, and afterwards everything goes on', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-restarted-'));
  await chmod(dataDir, 0o711);
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  let server = await startEmbeddedPostgres({ dataDir, log: quiet, durable: false });
  closers.push(() => server.stop());
  const { centre, service, sender } = await startService(formatUrl(server.address));
  await sendNumbers(service.url, sender, { count: NUMBERS, taskSize: 500, name: 'away' });
  const before = open(server.address);
  await until('some parts are sent', async () => (await countSubmits(before)) >= NUMBERS / 10);
  await before.end({ timeout: 1 });
  await server.stop();
  const request = {
    template_no: sender.templateNo,
    phones: createPhones(1, 90_000_000),
    client_request_id: 'meanwhile',
  };
  const send = (attempts: number) =>
    sender.at(service.url, attempts).send({ ...request, auto_freeze: true, auto_submit: true });
  await expect(send(1)).rejects.toMatchObject({ status: 503 });
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  server = await startEmbeddedPostgres({ dataDir, log: quiet, durable: false });
  await send(60);
  const sql = open(server.address);
  await awaitOutcomes(sql, NUMBERS + 1);
  await until('every receipt is acknowledged', async () => (await centre.counts()).pending === 0);
  await checkBooks(sql, NUMBERS + 1);
  await checkUpstream(sql, (await centre.counts()).by_destination);
  expect(await service.end('SIGTERM')).toBe(0);
});
