// An upgrade without a stop, as docs/guides/production.md says: the last release runs under load, this tree checks and migrates its database,
// new processes start beside the old ones, the old ones stop. Nothing is sent twice, nothing is lost, the books are exact.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SendRequest } from '@postrider/client';
import { afterAll, expect, onTestFailed, test } from 'vitest';
import type { Sql } from '../../src/store/sql.js';
import {
  awaitOutcomes,
  checkBooks,
  checkUpstream,
  countUnknown,
  createChannels,
  createPhones,
  createSender,
  operatorAt,
  type Sender,
} from '../support/campaign.js';
import { createTestDatabase } from '../support/database.js';
import { buildCode, checkout } from '../support/service-process.js';
import { type SpawnedService, spawnCentre, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';
import { buildRelease, findLastRelease, type LastRelease } from './last-release.js';

const release = await findLastRelease();
const built = 'reason' in release ? release : await buildRelease(release);
if ('reason' in built) tell(`skipped: an upgrade without a stop: ${built.reason}`);

const AUTOMATIC = { auto_freeze: true, auto_submit: true };
/** A task that the last release accepts and prepares, and this tree freezes and submits. */
const MANUAL = 300;
const FIRST_MANUAL = 1_000_000;

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  if ('remove' in built) await built.remove();
});

/** A command of this tree on the database; its output. */
async function postrider(databaseUrl: string, ...words: string[]): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', POSTRIDER_DATABASE_URL: databaseUrl };
  const command = [join(checkout, 'bin/postrider.mjs'), ...words];
  const ended = await promisify(execFile)(process.execPath, command, { env }).catch((error) => error);
  expect(ended.code, `${words.join(' ')}: ${ended.stdout}${ended.stderr}`).toBeUndefined();
  return ended.stdout;
}

/** So many numbers are under way at a time: enough that every process has some, few enough that they end soon. */
const MAX_OPEN = 1000;

async function countDelivered(sql: Sql): Promise<number> {
  const [row] = await sql<{ delivered: number }[]>`select coalesce(sum(delivered), 0)::int as delivered from task`;
  return row?.delivered ?? 0;
}

/** Sends to the processes in turn, tasks of one number and of many, until it is stopped. */
function startLoad(sql: Sql, sender: Sender, urls: () => readonly string[]) {
  let numbers = 0;
  let turn = 0;
  let stopped = false;
  const accepted = new Map<string, number>();
  const sendTo = async (url: string, request: SendRequest): Promise<void> => {
    try {
      await sender.at(url, 5).send(request);
      accepted.set(url, (accepted.get(url) ?? 0) + 1);
    } catch (error) {
      // A request whose process has ended is repeated at another: its `client_request_id` makes that safe.
      const [other] = urls();
      if (other === undefined || urls().includes(url)) throw error;
      await sendTo(other, request);
    }
  };
  const load = async (size: number) => {
    while (!stopped) {
      const url = urls()[turn % urls().length] ?? '';
      const phones = createPhones(size, numbers);
      const request = { template_no: sender.templateNo, phones, client_request_id: `load-${turn}`, ...AUTOMATIC };
      turn += 1;
      numbers += size;
      await sendTo(url, request);
      const hasRoom = async () => stopped || numbers - (await countDelivered(sql)) < MAX_OPEN;
      await until('there are fewer numbers under way', hasRoom, 120_000);
    }
  };
  const loads = Promise.all([1, 7, 150].map(load));
  // It is awaited by `stop`.
  loads.catch(() => undefined);
  return {
    numbers: () => numbers,
    accepted,
    stop: async () => {
      stopped = true;
      await loads;
    },
  };
}

async function startOn(databaseUrl: string, root: string): Promise<SpawnedService> {
  const service = await spawnService({ databaseUrl, root });
  closers.push(() => service.end('SIGKILL'));
  onTestFailed(() => tell(`${root}\n${service.log().slice(-6000)}`));
  return service;
}

function without(urls: readonly string[], { url }: SpawnedService): string[] {
  return urls.filter((each) => each !== url);
}

async function ownsChannel(sql: Sql, { child }: SpawnedService): Promise<boolean> {
  const rows = await sql`select 1 from channel_fence where split_part(owner, ':', 2) = ${String(child.pid)}`;
  return rows.length > 0;
}

async function upgrade({ version, commit }: LastRelease, oldRoot: string): Promise<void> {
  const { url: databaseUrl, sql, drop } = await createTestDatabase({ isEmpty: true });
  closers.push(drop);
  const centre = await spawnCentre(['--answer-ms', '2', '--receipt-ms', '500']);
  closers.push(() => centre.end('SIGKILL'));
  const old: readonly [SpawnedService, SpawnedService] = [
    await startOn(databaseUrl, oldRoot),
    await startOn(databaseUrl, oldRoot),
  ];
  const { url } = old[0];
  const account = { host: '127.0.0.1', port: centre.port, password: 'secret', window: 20 };
  const channels = ['One', 'Two'].map(
    (name) => ({ name, kind: 'smpp', config: { ...account, system_id: name }, partsPerSecond: 100 }) as const,
  );
  const sender = await createSender(url, await createChannels(url, channels), { name: 'Busy' });
  const phones = createPhones(MANUAL, FIRST_MANUAL);
  const manual = await sender.at(url).send({ template_no: sender.templateNo, phones });

  let urls = old.map((service) => service.url);
  const load = startLoad(sql, sender, () => urls);
  const deliverMore = async (what: string) => {
    const before = await countDelivered(sql);
    await until(`numbers are delivered ${what}`, async () => (await countDelivered(sql)) >= before + 300, 120_000);
  };
  await deliverMore('by the last release');

  const checked = await postrider(databaseUrl, 'upgrade-check');
  const migrated = await postrider(databaseUrl, 'migrate');
  await deliverMore('by the last release on the migrated database');
  await operatorAt(url).topUp(sender.customerNo, { amount: '10', remark: 'On the last release' });

  const young = [await startOn(databaseUrl, checkout), await startOn(databaseUrl, checkout)] as const;
  urls = [...old, ...young].map((service) => service.url);
  await until('every process accepts', () => urls.every((each) => load.accepted.has(each)), 120_000);
  await deliverMore('by both');
  await operatorAt(young[0].url).topUp(sender.customerNo, { amount: '10', remark: 'On this tree' });
  await sender.at(young[0].url).freezeTask(manual.task_no);

  // One that owns a channel crashes: this tree takes over what the last release had on the wire.
  const [crashing, stopping] = (await ownsChannel(sql, old[0])) ? old : ([old[1], old[0]] as const);
  urls = without(urls, stopping);
  expect(await stopping.end('SIGTERM')).toBe(0);
  await deliverMore('after one process of the last release has stopped');
  expect(await ownsChannel(sql, crashing)).toBe(true);
  urls = without(urls, crashing);
  await crashing.end('SIGKILL');
  await deliverMore('by this tree alone');
  await sender.at(young[0].url).submitTask(manual.task_no);
  await load.stop();

  const numbers = load.numbers() + MANUAL;
  await awaitOutcomes(sql, numbers);
  await until('every receipt is acknowledged', async () => (await centre.counts()).pending === 0);
  await checkBooks(sql, numbers);
  await checkUpstream(sql, (await centre.counts()).by_destination);
  const audited = await postrider(databaseUrl, 'audit', '--full');
  for (const service of young) expect(await service.end('SIGTERM')).toBe(0);
  tell(
    `${checked}${migrated}${audited}upgrade from ${version} (${commit.slice(0, 8)}) under load: ${numbers} numbers, ` +
      `${await countUnknown(sql)} unknown; tasks accepted by each process: ${[...load.accepted.values()].join(', ')}`,
  );
}

test.skipIf('reason' in built)(
  'the last release and this tree run side by side under load, then this tree alone',
  async () => {
    if ('reason' in built || 'reason' in release) throw new Error('no release to upgrade from');
    await buildCode();
    await upgrade(release, built.root);
  },
  400_000,
);
