// A report never takes effect before the answer to its part, though half of them come before it and the others right behind
// it: applied first it would say nothing, and its number would wait for a receipt that has come.

import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { awaitOutcomes, checkBooks, createChannels, createSender, sendNumbers } from '../../../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';
import { buildCode } from '../../../support/service-process.js';
import { spawnCentre, spawnService } from '../../../support/spawned.js';
import { tell } from '../../../support/tell.js';
import { until } from '../../../support/until.js';

const NUMBERS = 1000;
const closers: (() => Promise<unknown>)[] = [];
let database: TestDatabase;

beforeAll(async () => {
  await buildCode();
  database = await createTestDatabase();
  closers.push(database.drop);
});
afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test('every number is completed by the one report it gets', async () => {
  const centre = await spawnCentre(['--early-rate', '0.5', '--receipt-ms', '0']);
  closers.push(() => centre.end('SIGKILL'));
  const service = await spawnService({ databaseUrl: database.url });
  closers.push(() => service.end('SIGKILL'));
  onTestFailed(() => tell(service.log()));
  const config = { host: '127.0.0.1', port: centre.port, system_id: 'test', password: 'secret', window: 100 };
  const channels = await createChannels(service.url, [{ name: 'SMPP', kind: 'smpp', config }]);
  const sender = await createSender(service.url, channels, { name: 'Sender' });
  await sendNumbers(service.url, sender, { count: NUMBERS, taskSize: 50, name: 'order' });
  await awaitOutcomes(database.sql, NUMBERS, 30_000);
  await until('every receipt is acknowledged', async () => (await centre.counts()).pending === 0);
  await checkBooks(database.sql, NUMBERS);
  const [row] = await database.sql<{ delivered: number; deliveries: number; unmatched: number }[]>`
    select (select sum(delivered)::int from task) as delivered, (select count(*)::int from delivery_report) as deliveries,
      (select count(*)::int from unmatched_report) as unmatched`;
  expect(row).toEqual({ delivered: NUMBERS, deliveries: NUMBERS, unmatched: 0 });
});
