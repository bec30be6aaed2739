// Many numbers through a message centre that does everything wrong at once. `npm run campaign` sends 20,000.

import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import {
  awaitOutcomes,
  checkBooks,
  checkUpstream,
  countUnknown,
  createChannels,
  createSender,
  sendNumbers,
} from '../support/campaign.js';
import { createTestDatabase } from '../support/database.js';
import { buildCode } from '../support/service-process.js';
import { spawnCentre, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const isCampaign = process.env.CAMPAIGN === 'full';
const NUMBERS = Number(process.env.CAMPAIGN_NUMBERS ?? (isCampaign ? 20_000 : 3000));
const SEED = Number(process.env.CAMPAIGN_SEED ?? Date.now() % 1_000_000);
const CUT_EVERY = isCampaign ? 3000 : 700;
const WINDOW = 20;
const SESSIONS = 2;

const closers: (() => Promise<unknown>)[] = [];

beforeAll(buildCode);
afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const MISBEHAVIOUR = {
  '--seed': SEED,
  '--duplicate-rate': 0.02,
  '--early-rate': 0.05,
  '--throttle-rate': 0.03,
  '--ids': 'mixed',
  '--receipts': 'mixed',
  '--cut-every': CUT_EVERY,
};

test(`${NUMBERS} numbers: each at most once, each has a receipt or is unknown, seed ${SEED}`, async () => {
  const database = await createTestDatabase();
  closers.push(database.drop);
  const centre = await spawnCentre(Object.entries(MISBEHAVIOUR).flatMap(([name, value]) => [name, String(value)]));
  closers.push(() => centre.end('SIGKILL'));
  const service = await spawnService({ databaseUrl: database.url });
  closers.push(() => service.end('SIGKILL'));
  onTestFailed(() => tell(service.log()));
  const account = { host: '127.0.0.1', port: centre.port, system_id: 'test', password: 'secret' };
  const config = { ...account, sessions: SESSIONS, window: WINDOW, reconnect_min_ms: 50, receipts: 'by_text' };
  const channels = await createChannels(service.url, [{ name: 'SMPP', kind: 'smpp', config }]);
  const sender = await createSender(service.url, channels, { name: 'Busy', chargeOn: 'delivery' });
  const startedAt = performance.now();
  await sendNumbers(service.url, sender, { count: NUMBERS, taskSize: NUMBERS / 4, name: 'campaign' });
  await awaitOutcomes(database.sql, NUMBERS, 300_000);
  const seconds = (performance.now() - startedAt) / 1000;
  await until('every receipt is acknowledged', async () => (await centre.counts()).pending === 0);
  await checkBooks(database.sql, NUMBERS);
  const { by_destination: accepted, ...counts } = await centre.counts();
  expect(counts.doubled).toBe(0);
  await checkUpstream(database.sql, accepted);
  const [row] = await database.sql<{ once: number }[]>`
      select count(*)::int as once from submit where code in ('connection_lost', 'response_timeout') or status = 'unknown'`;
  const unknown = await countUnknown(database.sql);
  expect(Math.max(unknown, row?.once ?? 0)).toBeLessThanOrEqual((counts.cuts ?? 0) * WINDOW);
  expect(counts.cuts).toBeGreaterThanOrEqual(Math.floor(NUMBERS / CUT_EVERY));
  expect(Math.min(counts.duplicates ?? 0, counts.early ?? 0, counts.throttled ?? 0)).toBeGreaterThan(0);
  tell(`seed ${SEED}: ${seconds.toFixed(1)} s, ${unknown} unknown in the end, ${JSON.stringify(counts)}`);
  expect(await service.end('SIGTERM')).toBe(0);
}, 360_000);
