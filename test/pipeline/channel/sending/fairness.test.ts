// One customer's backlog does not keep another waiting, neither in preparing nor on a channel that is slow.

import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { createChannels, createSender, sendNumbers } from '../../../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';
import { buildCode } from '../../../support/service-process.js';
import { type SpawnedService, spawnService } from '../../../support/spawned.js';
import { tell } from '../../../support/tell.js';
import { until } from '../../../support/until.js';

const closers: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
let service: SpawnedService;

beforeAll(async () => {
  await buildCode();
  database = await createTestDatabase();
  closers.push(database.drop);
  service = await spawnService({ databaseUrl: database.url });
  closers.push(() => service.end('SIGKILL'));
});
afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const BACKLOG_TASKS = 20;
const BACKLOG = BACKLOG_TASKS * 5000;

test('a single number passes a backlog of a hundred thousand', async () => {
  onTestFailed(() => tell(service.log()));
  const config = { test_numbers: false };
  const [channel = ''] = await createChannels(service.url, [
    { name: 'Slow', kind: 'simulator', config, partsPerSecond: 500 },
  ]);
  const busy = await createSender(service.url, [channel], { name: 'Busy' });
  const small = await createSender(service.url, [channel], { name: 'Small' });
  await sendNumbers(service.url, busy, { count: BACKLOG, name: 'backlog' });
  const [early] = await sendNumbers(service.url, small, { count: 1, first: 500_000, name: 'early' });
  const isDone = (taskNo: string | undefined) => async () =>
    (await small.at(service.url).task(taskNo ?? '')).stage === 'completed';
  await until('the number is delivered', isDone(early?.task_no));

  // Again, when all of the backlog is prepared and waits for the channel.
  const isPrepared = async () =>
    (await database.sql`select 1 from task where queued_for = 'prepare' limit 1`).length === 0;
  await until('the backlog is prepared', isPrepared);
  const [late] = await sendNumbers(service.url, small, { count: 1, first: 500_001, name: 'late' });
  await until('the second number is delivered', isDone(late?.task_no));
  const [row] = await database.sql<{ unsent: number }[]>`
    select sum(total - rejected - unknown - awaiting - delivered - undelivered - expired)::int as unsent from task`;
  expect(row?.unsent).toBeGreaterThan(BACKLOG / 2);
  tell(`${row?.unsent} of the backlog were unsent when both numbers were delivered`);
});
