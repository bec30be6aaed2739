// The service is killed with -9 in the middle of its work, again and again. `npm run campaign` does it twenty times over
// 20,000 numbers; the ordinary run is a small one.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import { PART } from '../../src/domain/chunk/chunk-state.js';
import { createRandom } from '../../tools/message-centre/fate.js';
import {
  awaitOutcomes,
  checkBooks,
  checkUpstream,
  countSubmits,
  countUnknown,
  createChannels,
  createSender,
  operatorAt,
  sendNumbers,
} from '../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildCode } from '../support/service-process.js';
import { type SpawnedService, spawnCentre, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const isCampaign = process.env.CAMPAIGN === 'full';
const NUMBERS = Number(process.env.CAMPAIGN_NUMBERS ?? (isCampaign ? 20_000 : 3000));
const KILLS = Number(process.env.CAMPAIGN_KILLS ?? (isCampaign ? 20 : 2));
const SEED = Number(process.env.CAMPAIGN_SEED ?? Date.now() % 1_000_000);
const MAX_UNKNOWN_A_KILL = 100;
const LIMIT_MS = 120_000 + KILLS * 20_000;

const closers: (() => Promise<unknown>)[] = [];

beforeAll(buildCode);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  closers.push(database.drop);
  return database;
}

/** Kills the service at places that the seed chooses, and starts it again. Returns how many each kill left unknown. */
async function killAgainAndAgain(
  database: TestDatabase,
  first: SpawnedService,
  onStart: (service: SpawnedService) => void,
): Promise<{ service: SpawnedService; unknown: number[] }> {
  const random = createRandom(SEED);
  const marks = Array.from({ length: KILLS }, () => Math.floor(random() * NUMBERS * 0.95)).sort((a, b) => a - b);
  const unknown: number[] = [];
  let service = first;
  for (const mark of marks) {
    await until(`${mark} parts are sent`, async () => (await countSubmits(database.sql)) >= mark, 120_000);
    await sleep(random() * 15);
    await service.end('SIGKILL');
    unknown.push(await countIntended(database));
    const token = await readToken(database);
    service = await spawnService({ databaseUrl: database.url });
    onStart(service);
    // The next kill must find the channel at work again, or it proves nothing.
    await until('the channel is taken over', async () => (await readToken(database)) > token, 30_000);
  }
  return { service, unknown };
}

/** Parts with a committed intent and no answer. */
async function countIntended({ sql }: TestDatabase): Promise<number> {
  const rows = await sql<{ states: Uint8Array }[]>`
    select part_states as states from chunk where position('\\x01'::bytea in part_states) > 0`;
  return rows.reduce((sum, { states }) => sum + states.filter((state) => state === PART.intended).length, 0);
}

async function readToken({ sql }: TestDatabase): Promise<bigint> {
  const [row] = await sql<{ token: bigint }[]>`select coalesce(max(token), 0) as token from channel_fence`;
  return row?.token ?? 0n;
}

test(
  `killed ${KILLS} times over ${NUMBERS} numbers on the simulator, seed ${SEED}`,
  async () => {
    const database = await openDatabase();
    const first = await spawnService({ databaseUrl: database.url });
    let current = first;
    closers.push(() => current.end('SIGKILL'));
    onTestFailed(() => tell(current.log()));
    const config = { answer_ms: 5, receipt_ms: 100, test_numbers: false };
    const channels = await createChannels(first.url, [{ name: 'Simulator', kind: 'simulator', config }]);
    const sender = await createSender(first.url, channels, { name: 'Busy' });
    await sendNumbers(first.url, sender, { count: NUMBERS, taskSize: Math.min(5000, NUMBERS / 2), name: 'kill' });
    const { service, unknown } = await killAgainAndAgain(database, first, (started) => {
      current = started;
    });
    await awaitOutcomes(database.sql, NUMBERS);
    await checkBooks(database.sql, NUMBERS);
    for (const count of unknown) expect(count).toBeLessThanOrEqual(MAX_UNKNOWN_A_KILL);
    tell(`simulator, seed ${SEED}: unknown after each kill: ${unknown.join(', ')}`);

    // Nothing is stuck: what is unknown the operator can settle, and then all is completed.
    for await (const task of operatorAt(service.url).tasks({ stage: 'submit_unknown' })) {
      await operatorAt(service.url).resolveTask(task.task_no, { outcome: 'not_accepted' });
    }
    await until('every task is completed', async () => (await countUnknown(database.sql)) === 0);
    const stages = await database.sql`select distinct stage from task`;
    expect(stages.map(({ stage }) => stage)).toEqual(['completed']);
    await checkBooks(database.sql, NUMBERS);
    expect(await service.end('SIGTERM')).toBe(0);
  },
  LIMIT_MS,
);

test(
  `killed ${KILLS} times over ${NUMBERS} numbers over SMPP: the message centre has each at most once, seed ${SEED}`,
  async () => {
    const database = await openDatabase();
    const centre = await spawnCentre(['--answer-ms', '5', '--receipt-ms', '50', '--ids', 'mixed']);
    closers.push(() => centre.end('SIGKILL'));
    const first = await spawnService({ databaseUrl: database.url });
    let current = first;
    closers.push(() => current.end('SIGKILL'));
    onTestFailed(() => tell(current.log()));
    const config = { host: '127.0.0.1', port: centre.port, system_id: 'test', password: 'secret', window: 50 };
    const channels = await createChannels(first.url, [{ name: 'SMPP', kind: 'smpp', config }]);
    const sender = await createSender(first.url, channels, { name: 'Busy' });
    await sendNumbers(first.url, sender, { count: NUMBERS, taskSize: Math.min(5000, NUMBERS / 2), name: 'kill' });
    const { service, unknown } = await killAgainAndAgain(database, first, (started) => {
      current = started;
    });
    await awaitOutcomes(database.sql, NUMBERS);
    await until('every receipt is acknowledged', async () => (await centre.counts()).pending === 0);
    await checkBooks(database.sql, NUMBERS);
    const { by_destination: accepted, doubled } = await centre.counts();
    expect(doubled).toBe(0);
    await checkUpstream(database.sql, accepted);
    for (const count of unknown) expect(count).toBeLessThanOrEqual(MAX_UNKNOWN_A_KILL);
    const left = await countUnknown(database.sql);
    tell(`SMPP, seed ${SEED}: unknown after each kill: ${unknown.join(', ')}; in the end ${left}`);
    expect(await service.end('SIGTERM')).toBe(0);
  },
  LIMIT_MS,
);
