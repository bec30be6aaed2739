// Two channels for one firm: what one cannot carry goes by the other, and nothing goes twice.

import { afterEach, beforeAll, beforeEach, expect, onTestFailed, test } from 'vitest';
import {
  awaitOutcomes,
  checkBooks,
  checkUpstream,
  countSubmits,
  createChannels,
  createSender,
  operatorAt,
  sendNumbers,
} from '../../../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';
import { buildCode } from '../../../support/service-process.js';
import { type SpawnedCentre, type SpawnedService, spawnCentre, spawnService } from '../../../support/spawned.js';
import { tell } from '../../../support/tell.js';
import { until } from '../../../support/until.js';

const closers: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
let service: SpawnedService;
let left: SpawnedCentre;
let right: SpawnedCentre;

beforeAll(buildCode);
beforeEach(async () => {
  database = await createTestDatabase();
  closers.push(database.drop);
  [left, right, service] = await Promise.all([
    spawnCentre(['--answer-ms', '20']),
    spawnCentre(['--answer-ms', '20']),
    spawnService({ databaseUrl: database.url }),
  ]);
  closers.push(
    () => left.end('SIGKILL'),
    () => right.end('SIGKILL'),
    () => service.end('SIGKILL'),
  );
  onTestFailed(() => tell(service.log()));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const NUMBERS = 600;

const smpp = (name: string, port: number) =>
  ({
    name,
    kind: 'smpp',
    config: { host: '127.0.0.1', port, system_id: name, password: 'secret', reconnect_max_ms: 500 },
    partsPerSecond: 100,
  }) as const;

async function startWork() {
  const channels = await createChannels(service.url, [smpp('left', left.port), smpp('right', right.port)]);
  const sender = await createSender(service.url, channels, { name: 'Sender' });
  const isUp = async () => {
    const rows = await database.sql`select 1 from channel_heartbeat where health->>'state' = 'up'`;
    return rows.length === 2;
  };
  await until('both channels are up', isUp);
  await sendNumbers(service.url, sender, { count: NUMBERS, taskSize: 100, name: 'reroute' });
  await until('both carry', async () => (await countSubmits(database.sql)) > 40);
  return { channels, sender };
}

async function finish(numbers: number): Promise<void> {
  await awaitOutcomes(database.sql, numbers);
  await checkBooks(database.sql, numbers);
}

test('when one goes down, its unsent numbers go by the other, and new ones do not go near it', async () => {
  const { sender } = await startWork();
  const carried = (await left.counts()).by_destination;
  await left.end('SIGKILL');
  await until('the other has what was left', async () => (await countSubmits(database.sql)) >= NUMBERS);
  await sendNumbers(service.url, sender, { count: 100, taskSize: 10, first: 50_000, name: 'later' });
  const open = async () => {
    const [row] = await database.sql<{ open: number }[]>`select coalesce(sum(total - rejected - unknown - awaiting
      - delivered - undelivered - expired), 0)::int as open from task`;
    return row?.open === 0;
  };
  await until('everything is sent', open);
  const by = await database.sql<{ channel: string; later: number }[]>`
    select c.name as channel, count(*) filter (where s.phone like '1380005%')::int as later
    from submit s join channel c on c.channel_id = s.channel_id group by 1 order by 1`;
  expect(by.map(({ channel, later }) => [channel, later])).toEqual([
    ['left', 0],
    ['right', 100],
  ]);
  const { by_destination: others } = await right.counts();
  const twice = Object.keys(carried).filter((phone) => others[phone] !== undefined);
  expect(twice).toEqual([]);
  expect(await countSubmits(database.sql)).toBe(NUMBERS + 100);
});

test('when the operator disables one, its unsent numbers go by the other', async () => {
  const { channels } = await startWork();
  await operatorAt(service.url).updateChannel(channels[0] ?? '', { status: 'disabled' });
  // Receipts of what it had sent come back with it.
  await until('everything is sent', async () => (await countSubmits(database.sql)) === NUMBERS);
  await operatorAt(service.url).updateChannel(channels[0] ?? '', { status: 'active' });
  await finish(NUMBERS);
  const [a, b] = [await left.counts(), await right.counts()];
  expect(Object.keys(b.by_destination).length).toBeGreaterThan(NUMBERS / 2);
  expect(a.doubled).toBe(0);
  const both = { ...a.by_destination };
  for (const [phone, times] of Object.entries(b.by_destination)) both[phone] = (both[phone] ?? 0) + times;
  await checkUpstream(database.sql, both);
});
