// Numbers on their way from a channel that refuses them to one that takes them, while their process is killed again and
// again: each is accepted once at most, over both, and every one that was refused has gone on.

import { afterEach, beforeAll, beforeEach, expect, onTestFailed, test } from 'vitest';
import { auditAll } from '../../src/store/money/audit-money.js';
import {
  awaitOutcomes,
  checkUpstream,
  countSubmits,
  countUnknown,
  createChannels,
  createSender,
  sendNumbers,
} from '../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildCode } from '../support/service-process.js';
import { type SpawnedCentre, type SpawnedService, spawnCentre, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const NUMBERS = 1200;
const KILLS = 3;
const WINDOW = 10;
/** Of each channel: what it holds beside its window is about to go out. */
const MAX_UNKNOWN_A_KILL = 100;
const CODE = 'ESME_RSUBMITFAIL';

const closers: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
let refusing: SpawnedCentre;
let willing: SpawnedCentre;

beforeAll(buildCode);
beforeEach(async () => {
  database = await createTestDatabase();
  closers.push(database.drop);
  refusing = await spawnCentre(['--refuse-rate', '0.6', '--answer-ms', '10']);
  closers.push(() => refusing.end('SIGKILL'));
  willing = await spawnCentre(['--answer-ms', '10']);
  closers.push(() => willing.end('SIGKILL'));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startProcess(): Promise<SpawnedService> {
  const service = await spawnService({ databaseUrl: database.url });
  closers.push(() => service.end('SIGKILL'));
  onTestFailed(() => tell(service.log()));
  return service;
}

const smpp = (name: string, { port }: SpawnedCentre) =>
  ({
    name,
    kind: 'smpp',
    config: { host: '127.0.0.1', port, system_id: name, password: 'secret', window: WINDOW, reconnect_min_ms: 50 },
    partsPerSecond: 200,
    failoverCodes: [CODE],
  }) as const;

test('a number that was refused goes on through any crash, is accepted once, and paid for once', async () => {
  let service = await startProcess();
  const channels = await createChannels(service.url, [smpp('refusing', refusing), smpp('willing', willing)]);
  const sender = await createSender(service.url, channels, { name: 'Sender' });
  const areUp = async () =>
    (await database.sql`select 1 from channel_heartbeat where expires_at > now() and health->>'state' = 'up'`)
      .length === 2;
  await until('both channels are up', areUp);
  await sendNumbers(service.url, sender, { count: NUMBERS, taskSize: 500, name: 'failover' });
  for (let kill = 1; kill <= KILLS; kill++) {
    const goal = (kill * NUMBERS) / (KILLS + 1);
    await until(`${goal} parts have gone out`, async () => (await countSubmits(database.sql)) > goal);
    await service.end('SIGKILL');
    service = await startProcess();
  }
  await awaitOutcomes(database.sql, NUMBERS);
  const counts = [await refusing.counts(), await willing.counts()];
  const accepted: Record<string, number> = {};
  for (const { by_destination } of counts) {
    for (const [phone, times] of Object.entries(by_destination)) accepted[phone] = (accepted[phone] ?? 0) + times;
  }
  await checkUpstream(database.sql, accepted);
  expect(await auditAll(database.sql)).toEqual([]);
  await checkTries();
  // With many submissions under way, nothing is taken for a leak.
  expect(service.log()).not.toMatch(/MaxListeners/);
  const unknown = await countUnknown(database.sql);
  expect(unknown).toBeLessThanOrEqual(2 * MAX_UNKNOWN_A_KILL * KILLS);
  tell(
    `${counts[0]?.refused} refused, ${Object.keys(accepted).length} accepted, ${unknown} unknown after ${KILLS} kills`,
  );
}, 240_000);

async function checkTries(): Promise<void> {
  const { sql } = database;
  const repeated = await sql`
    select task_id, seq, channel_id from submit group by task_id, seq, channel_id having count(*) > 1 limit 5`;
  expect([...repeated]).toEqual([]);
  // Every number that the first refused has gone to the second, which refuses none.
  const [row] = await sql<{ refused: number; left: number }[]>`
    select count(*)::int as refused, count(*) filter (where other.task_id is null)::int as left
    from submit s left join submit other on other.bucket = s.bucket and other.task_id = s.task_id and other.seq = s.seq
      and other.channel_id <> s.channel_id
    where s.status = 'rejected'`;
  expect(row?.refused).toBeGreaterThan(NUMBERS / 10);
  expect(row?.left).toBe(0);
  expect((await sql`select 1 as one from receipt where result = 'rejected' limit 1`).length).toBe(0);
  const [money] = await sql<{ charged: bigint; taken: bigint }[]>`
    select sum(charged)::bigint as charged, sum(delivered)::bigint * 50000 as taken from task`;
  expect(money?.charged).toBe(money?.taken);
}
