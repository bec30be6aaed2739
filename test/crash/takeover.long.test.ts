// Each channel is spoken for by one process. When that dies, stalls or stops, another takes over, and the one that lost
// the channel can write nothing.

import { afterEach, beforeAll, beforeEach, expect, onTestFailed, test } from 'vitest';
import {
  awaitOutcomes,
  checkBooks,
  checkUpstream,
  countSubmits,
  createChannels,
  createSender,
  type Sender,
  sendNumbers,
} from '../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildCode } from '../support/service-process.js';
import { type SpawnedCentre, type SpawnedService, spawnCentre, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

/** What the design promises, and what a busy machine adds to it. */
const TAKEOVER_MS = 10_000;
/** Of a process that stands still the server ends one transaction after the other, where they wait for each other's locks. */
const STUCK_TAKEOVER_MS = 20_000;

const closers: (() => Promise<unknown>)[] = [];
let database: TestDatabase;

beforeAll(buildCode);
beforeEach(async () => {
  database = await createTestDatabase();
  closers.push(database.drop);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startProcess(roles?: string, databaseUrl = database.url): Promise<SpawnedService> {
  const service = await spawnService({ databaseUrl, ...(roles === undefined ? {} : { roles }) });
  closers.push(() => service.end('SIGKILL'));
  onTestFailed(() => tell(`pid ${service.child.pid}\n${service.log()}`));
  return service;
}

async function startCentre(): Promise<SpawnedCentre> {
  const centre = await spawnCentre(['--answer-ms', '5', '--receipt-ms', '50']);
  closers.push(() => centre.end('SIGKILL'));
  return centre;
}

const smpp = (centre: SpawnedCentre, name: string) =>
  ({
    name,
    kind: 'smpp',
    config: { host: '127.0.0.1', port: centre.port, system_id: name, password: 'secret', window: 20 },
  }) as const;

interface Ownership {
  readonly channel: string;
  readonly pid: number;
  readonly token: bigint;
}

/** Who holds each channel now, and has it up. */
async function readOwners(): Promise<Ownership[]> {
  const rows = await database.sql<{ channel: string; owner: string; token: bigint }[]>`
    select c.channel_no as channel, l.owner, l.token from channel_fence l
    join channel c on c.channel_id = l.channel_id
    join channel_heartbeat h on h.channel_id = l.channel_id and h.token = l.token
    where h.expires_at > now() and h.health->>'state' = 'up' order by 1`;
  return rows.map(({ channel, owner, token }) => ({ channel, pid: Number(owner.split(':')[1]), token }));
}

async function ownsBoth({ child }: SpawnedService): Promise<boolean> {
  const owners = await readOwners();
  return owners.length === 2 && owners.every(({ pid }) => pid === child.pid);
}

/** Two processes, two channels, and work going on. */
async function startTwo(numbers: number) {
  const centre = await startCentre();
  const first = await startProcess();
  const channels = await createChannels(first.url, [smpp(centre, 'one'), smpp(centre, 'two')]);
  const sender = await createSender(first.url, channels, { name: 'Busy' });
  await until('both channels are up', async () => (await readOwners()).length === 2);
  const second = await startProcess();
  await sendNumbers(second.url, sender, { count: numbers, taskSize: 1000, name: 'takeover' });
  await until('work is going on', async () => (await countSubmits(database.sql)) > numbers / 10);
  return { centre, first, second, sender };
}

async function finish(centre: SpawnedCentre, numbers: number): Promise<void> {
  await awaitOutcomes(database.sql, numbers, 40_000);
  await until('every receipt is acknowledged', async () => (await centre.counts()).pending === 0);
  await checkBooks(database.sql, numbers);
  await checkUpstream(database.sql, (await centre.counts()).by_destination);
}

const NUMBERS = 2000;

test('when the owner is killed, the other process takes its channels within ten seconds and finishes', async () => {
  const { centre, first, second } = await startTwo(NUMBERS);
  expect((await readOwners()).map(({ pid }) => pid)).toEqual([first.child.pid, first.child.pid]);
  await first.end('SIGKILL');
  await until('the other process owns both', () => ownsBoth(second), TAKEOVER_MS);
  await finish(centre, NUMBERS);
});

test('an owner that was stopped and wakes without its lease writes nothing and doubles nothing', async () => {
  const { centre, first, second } = await startTwo(NUMBERS);
  first.signal('SIGSTOP');
  await until('the other process owns both', () => ownsBoth(second), STUCK_TAKEOVER_MS);
  const tokens = (await readOwners()).map(({ token }) => token);
  first.signal('SIGCONT');
  await until('it notices', () => /another process/.test(first.log()));
  await finish(centre, NUMBERS);
  expect((await readOwners()).map(({ token }) => token)).toEqual(tokens);
  expect(await first.end('SIGTERM')).toBe(0);
}, 120_000);

test('SIGTERM hands over at once: nothing becomes unknown, and the lease is not waited out', async () => {
  const { centre, first, second } = await startTwo(NUMBERS);
  expect(await first.end('SIGTERM')).toBe(0);
  const [left] = await database.sql<{ held: number }[]>`
    select count(*)::int as held from channel_fence join channel_heartbeat using (channel_id, token)
    where owner like ${`%:${first.child.pid}:%`} and expires_at > now()`;
  expect(left?.held).toBe(0);
  await until('the other process owns both', () => ownsBoth(second));
  await finish(centre, NUMBERS);
  const unknown = await database.sql`select 1 from submit where status = 'unknown'`;
  expect(unknown.length).toBe(0);
});

const ROLES = ['api', 'worker', 'channels'];
const TASKS = 10;

/** Runs something in three processes on this database, with the address of the API. */
async function inThreeProcesses<Result>(databaseUrl: string, work: (url: string) => Promise<Result>): Promise<Result> {
  const processes: SpawnedService[] = [];
  for (const role of ROLES) processes.push(await startProcess(role, databaseUrl));
  const result = await work(processes[0]?.url ?? '');
  for (const each of processes.reverse()) expect(await each.end('SIGTERM')).toBe(0);
  return result;
}

/** The median time from acceptance to completion, of a few tasks one after the other. */
async function measureCompletion(url: string, sender: Sender, name: string): Promise<number> {
  await until('the channel is up', async () => (await readOwners()).length === 1);
  const [before] = await database.sql<{ id: bigint }[]>`select coalesce(max(task_id), 0) as id from task`;
  for (let at = 0; at < TASKS; at++) {
    const [task] = await sendNumbers(url, sender, { count: 1, first: at, name: `${name}-${at}` });
    const isDone = async () => (await sender.at(url).task(task?.task_no ?? '')).stage === 'completed';
    await until(`task ${at} is completed`, isDone, 30_000);
  }
  const [row] = await database.sql<{ median: number }[]>`
    select percentile_cont(0.5) within group (order by extract(epoch from completed_at) * 1000 - (task_id >> 20))::float8
      as median from task where task_id > ${before?.id ?? 0n}`;
  return row?.median ?? Number.NaN;
}

test('api, worker and channels in three processes wake each other: a task takes less than half of what polling takes', async () => {
  const config = { test_numbers: false };
  const { sender, waking } = await inThreeProcesses(database.url, async (url) => {
    const channels = await createChannels(url, [{ name: 'Simulator', kind: 'simulator', config }]);
    const created = await createSender(url, channels, { name: 'Quick' });
    return { sender: created, waking: await measureCompletion(url, created, 'waking') };
  });
  // Behind a pooler there is no LISTEN: each process finds the work of another at its next poll.
  const polled = new URL(database.url);
  polled.searchParams.set('pgbouncer', 'true');
  const polling = await inThreeProcesses(polled.href, (url) => measureCompletion(url, sender, 'polling'));
  tell(`median ${waking} ms from acceptance to completion, ${polling} ms by polling`);
  expect(waking / polling).toBeLessThan(0.5);
  await checkBooks(database.sql, 2 * TASKS);
}, 180_000);
