// Tasks that wait for a time or for a call, and the service killed with -9 meanwhile: what was kept back stays kept back, what
// is due goes, and every number goes once.

import type { PostriderClient, Task } from '@postrider/client';
import { afterEach, beforeAll, beforeEach, expect, onTestFailed, test } from 'vitest';
import { PART } from '../../src/domain/chunk/chunk-state.js';
import {
  awaitOutcomes,
  checkBooks,
  countSubmits,
  countUnknown,
  createChannels,
  createPhones,
  createSender,
  type Sender,
} from '../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildCode } from '../support/service-process.js';
import { type SpawnedService, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const MAX_UNKNOWN_A_KILL = 100;
const LIMIT_MS = 180_000;

const closers: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
let service: SpawnedService;

beforeAll(buildCode);
beforeEach(async () => {
  database = await createTestDatabase();
  closers.push(database.drop);
  await startAnew();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startAnew(): Promise<void> {
  const started = await spawnService({ databaseUrl: database.url });
  closers.push(() => started.end('SIGKILL'));
  onTestFailed(() => tell(started.log()));
  service = started;
}

async function addSender(partsPerSecond?: number): Promise<Sender> {
  const config = { answer_ms: 5, receipt_ms: 20, test_numbers: false };
  const rate = partsPerSecond === undefined ? {} : { partsPerSecond };
  const channels = await createChannels(service.url, [{ name: 'Simulator', kind: 'simulator', config, ...rate }]);
  return await createSender(service.url, channels, { name: 'Busy' });
}

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

const send = (sender: Sender, count: number, first: number, more: { send_at?: string } = {}): Promise<Task> =>
  sender.at(service.url).send({
    template_no: sender.templateNo,
    phones: createPhones(count, first),
    auto_freeze: true,
    auto_submit: true,
    ...more,
  });

async function waitsFor(client: PostriderClient, taskNo: string, what: string): Promise<void> {
  await until(`the task waits for ${what}`, async () => (await client.task(taskNo)).waits_for === what);
}

/** Parts with a committed intent and no answer. */
async function countIntended(): Promise<number> {
  const rows = await database.sql<{ states: Uint8Array }[]>`
    select part_states as states from chunk where position('\\x01'::bytea in part_states) > 0`;
  return rows.reduce((sum, { states }) => sum + states.filter((state) => state === PART.intended).length, 0);
}

async function submitsOf(taskNo: string, client: PostriderClient): Promise<number> {
  return (await client.submits({ taskNo }).page()).total;
}

test(
  'a scheduled task is kept through a kill, and starts at its time, through another',
  async () => {
    const numbers = 2000;
    const sender = await addSender();
    const { task_no } = await send(sender, numbers, 0, { send_at: inMs(3_600_000) });
    await waitsFor(sender.at(service.url), task_no, 'send_at');
    await service.end('SIGKILL');
    await startAnew();
    expect((await sender.at(service.url).task(task_no)).waits_for).toBe('send_at');
    expect(await countSubmits(database.sql)).toBe(0);
    const sendAt = inMs(2000);
    await sender.at(service.url).rescheduleTask(task_no, sendAt);
    // And again, in the middle of what its time has set going.
    await until('it has started', async () => (await countSubmits(database.sql)) > numbers / 10, 60_000);
    await service.end('SIGKILL');
    const unknown = await countIntended();
    await startAnew();
    await awaitOutcomes(database.sql, numbers);
    await checkBooks(database.sql, numbers);
    expect(unknown).toBeLessThanOrEqual(MAX_UNKNOWN_A_KILL);
    expect(await countUnknown(database.sql)).toBe(unknown);
    const [first] = await database.sql`select min(submit_id >> 20)::bigint as at from submit`;
    const lateMs = Number(first?.at) - Date.parse(sendAt);
    tell(`first part ${lateMs} ms after its time, ${unknown} unknown`);
    expect(lateMs).toBeGreaterThanOrEqual(0);
  },
  LIMIT_MS,
);

test(
  'a time that comes while the service is down is made up for at its start',
  async () => {
    const sender = await addSender();
    const { task_no } = await send(sender, 300, 0, { send_at: inMs(3_600_000) });
    await waitsFor(sender.at(service.url), task_no, 'send_at');
    const sendAt = inMs(2000);
    await sender.at(service.url).rescheduleTask(task_no, sendAt);
    await service.end('SIGKILL');
    await until('its time has come', () => Date.now() > Date.parse(sendAt));
    expect(await countSubmits(database.sql)).toBe(0);
    await startAnew();
    await awaitOutcomes(database.sql, 300);
    await checkBooks(database.sql, 300);
    expect((await sender.at(service.url).task(task_no)).counts.delivered).toBe(300);
  },
  LIMIT_MS,
);

test(
  'a paused task stays paused through a kill, and goes on where it stopped',
  async () => {
    const numbers = 3000;
    const sender = await addSender(1000);
    const { task_no } = await send(sender, numbers, 0);
    await until('it is half-way', async () => (await countSubmits(database.sql)) > numbers / 4, 60_000);
    await sender.at(service.url).pauseTask(task_no);
    await service.end('SIGKILL');
    const unknown = await countIntended();
    expect(unknown).toBeLessThanOrEqual(MAX_UNKNOWN_A_KILL);
    await startAnew();
    const client = sender.at(service.url);
    // What was on the wire is known to be unknown; from then on the number of submissions stands still.
    await until('nothing is on the wire', async () => (await countIntended()) === 0, 60_000);
    const before = await submitsOf(task_no, client);
    expect(before).toBeLessThan(numbers);
    const other = await send(sender, 200, numbers);
    await until('another task goes through', async () => (await client.task(other.task_no)).stage === 'completed');
    expect(await client.task(task_no)).toMatchObject({ stage: 'submitting', waits_for: 'resume' });
    expect(await submitsOf(task_no, client)).toBe(before);
    // Killed once more before it is resumed by two equal calls.
    await service.end('SIGKILL');
    await startAnew();
    const again = sender.at(service.url);
    await again.resumeTask(task_no);
    await again.resumeTask(task_no);
    await awaitOutcomes(database.sql, numbers + 200);
    await checkBooks(database.sql, numbers + 200);
    expect(await countUnknown(database.sql)).toBe(unknown);
    tell(`paused after ${before} of ${numbers}, ${unknown} unknown`);
  },
  LIMIT_MS,
);
