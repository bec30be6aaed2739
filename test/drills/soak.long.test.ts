// A steady load while what a platform does over years happens within it: old months end, and the secret key is rotated in the steps of
// docs/guides/production.md, by a rolling restart of two processes. Nothing is sent twice, nothing is lost, the books are exact, and
// memory stays flat. It takes a minute; POSTRIDER_SOAK_MINUTES=60 makes it an hour.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, expect, onTestFailed, test } from 'vitest';
import { firstIdAt } from '../../src/domain/id.js';
import { ensurePartitions } from '../../src/store/partitions.js';
import type { Sql } from '../../src/store/sql.js';
import { type MemorySamples, sampleMemory } from '../../tools/bench/lab/memory.js';
import {
  awaitOutcomes,
  checkBooks,
  checkUpstream,
  countUnknown,
  createChannels,
  createPhones,
  createSender,
  type Sender,
  sendNumbers,
} from '../support/campaign.js';
import { createTestDatabase } from '../support/database.js';
import { buildCode, checkout } from '../support/service-process.js';
import { SECRET_KEY, type SpawnedService, type SpawnOptions, spawnCentre, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const MINUTES = Number(process.env.POSTRIDER_SOAK_MINUTES ?? 0.5);
const NEW_KEY = 'new-secret-key-of-the-soak-0123456789';
/** In each period a month of history ends. The first ones begin with a rolling restart; memory is measured in the others. */
const PERIODS = [
  { monthsAgo: 30, key: SECRET_KEY },
  { monthsAgo: 26, key: `${SECRET_KEY},${NEW_KEY}` },
  { monthsAgo: 22, key: `${NEW_KEY},${SECRET_KEY}`, isResealed: true },
  { monthsAgo: 18, key: NEW_KEY },
  { monthsAgo: 14 },
  { monthsAgo: 10 },
] as const;
/** In a shorter run a process still grows into its caches: memory is not measured. */
const MIN_MEASURED_MINUTES = 10;
const periods = MINUTES < MIN_MEASURED_MINUTES ? PERIODS.filter((period) => 'key' in period) : PERIODS;
const PERIOD_MS = (MINUTES * 60_000) / periods.length;
const MAX_GROWTH = 1.2;
const DAY_MS = 86_400_000;
const OLD_NUMBERS = 200;
const FIRST_OLD = 50_000_000;

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startOn(options: SpawnOptions): Promise<SpawnedService> {
  const service = await spawnService(options);
  closers.push(() => service.end('SIGKILL'));
  onTestFailed(() => tell(service.log().slice(-4000)));
  return service;
}

/** Sends tasks of one number and of many to the processes in turn, until it is stopped. */
function startLoad(sender: Sender, urls: () => readonly string[]) {
  let numbers = 0;
  let turn = 0;
  let stopped = false;
  const load = async (size: number, pauseMs: number): Promise<void> => {
    for (; !stopped; await sleep(pauseMs)) {
      const flags = { auto_freeze: true, auto_submit: true, client_request_id: `load-${turn}` };
      const request = { template_no: sender.templateNo, phones: createPhones(size, numbers), ...flags };
      turn += 1;
      numbers += size;
      const sendTo = () => sender.at(urls()[turn % urls().length] ?? '', 5).send(request);
      // A process that restarts refuses; the same request at another one is safe.
      await sendTo().catch(sendTo);
    }
  };
  const loads = Promise.all([load(1, 40), load(1, 60), load(50, 1000)]);
  // It is awaited by `stop`.
  loads.catch(() => undefined);
  return {
    numbers: () => numbers,
    stop: async () => {
      stopped = true;
      await loads;
    },
  };
}

const startOfMonth = (monthsAgo: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 1));
};

/** Completed tasks of a customer and all that they left, moved to where they would be had they been sent then. */
async function createHistory(sql: Sql, url: string, sender: Sender, monthsAgo: number): Promise<void> {
  const at = new Date(startOfMonth(monthsAgo).getTime() + 10 * DAY_MS);
  await ensurePartitions(sql, at);
  const options = { count: OLD_NUMBERS, taskSize: 20, first: FIRST_OLD, name: `old-${monthsAgo}` };
  const tasks = await sendNumbers(url, sender, options);
  const [customer] = await sql<{ bucket: number; id: bigint }[]>`
    select bucket, customer_id as id from customer where customer_no = ${sender.customerNo}`;
  if (customer === undefined) throw new Error('the customer is unknown');
  const { bucket, id } = customer;
  const isSummed = async () => {
    const [row] = await sql<{ completed: number; isSummed: boolean }[]>`
      select (select count(*)::int from task where bucket = ${bucket} and customer_id = ${id} and stage = 'completed') as completed,
        exists (
          select 1 from account a join history_reader h on h.bucket = a.bucket and h.customer_id = a.customer_id
          where a.bucket = ${bucket} and a.customer_id = ${id} and h.entry_seq = a.entry_seq) as "isSummed"`;
    return row?.completed === tasks.length && row.isSummed;
  };
  await until('old tasks are completed and summed up', isSummed, 120_000);
  const shift = firstIdAt(new Date()) - firstIdAt(at);
  const oldest = firstIdAt(new Date(Date.now() - DAY_MS));
  const own = `bucket = ${bucket} and customer_id = ${id}`;
  await sql.unsafe(
    `update ledger_entry set task_id = task_id - ${shift}, created_at = $1 where ${own} and task_id > ${oldest}`,
    [at],
  );
  await sql.unsafe(
    `update task set task_id = task_id - ${shift}, updated_at = $1 where ${own} and task_id > ${oldest}`,
    [at],
  );
  for (const table of ['submit', 'delivery', 'receipt']) {
    await sql.unsafe(
      `update ${table} set ${table}_id = ${table}_id - ${shift}, task_id = task_id - ${shift} where ${own} and ${table}_id > ${oldest}`,
    );
  }
}

/** A worker tries at its start, and ten minutes later if a table was in use. The one that has ended the month. */
async function endMonth(sql: Sql, month: Date, startWorker: () => Promise<SpawnedService>): Promise<SpawnedService> {
  const isEnded = async () =>
    (await sql`select 1 from retention_month where month = ${month} and ended_at is not null`).length > 0;
  for (;;) {
    const worker = await startWorker();
    if (await until('the month has ended', isEnded, 20_000).catch(() => false)) return worker;
    expect(await worker.end('SIGTERM')).toBe(0);
  }
}

test(
  'months end and the secret key is rotated under a steady load, and memory stays flat',
  async () => {
    await buildCode();
    const { url: databaseUrl, sql, drop } = await createTestDatabase();
    closers.push(drop);
    const centre = await spawnCentre(['--answer-ms', '20', '--receipt-ms', '500']);
    closers.push(() => centre.end('SIGKILL'));
    const startWith = (key: string) => startOn({ databaseUrl, env: { POSTRIDER_SECRET_KEY: key } });
    let key: string = SECRET_KEY;
    let services = [await startWith(key), await startWith(key)];
    const url = () => services[0]?.url ?? '';
    const account = { host: '127.0.0.1', port: centre.port, system_id: 'soak', password: 'secret', window: 50 };
    const [carrier = '', simulator = ''] = await createChannels(url(), [
      { name: 'Carrier', kind: 'smpp', config: account },
      { name: 'Simulator', kind: 'simulator', config: {} },
    ]);
    const busy = await createSender(url(), [carrier], { name: 'Busy' });
    const old = await createSender(url(), [simulator], { name: 'Old' });
    const load = startLoad(busy, () => services.map((service) => service.url));
    const samples: MemorySamples[] = [];

    for (const period of periods) {
      const endMs = performance.now() + PERIOD_MS;
      if ('key' in period && period.key !== key) {
        key = period.key;
        for (const [at, service] of services.entries()) {
          services = services.filter((one) => one !== service);
          expect(await service.end('SIGTERM')).toBe(0);
          services = services.toSpliced(at, 0, await startWith(key));
        }
      }
      if ('isResealed' in period) tell(await rotateSecretKey(databaseUrl, key));
      if (!('key' in period) && samples.length === 0) {
        samples.push(...services.map(({ child }) => sampleMemory(child.pid ?? 0)));
      }
      await createHistory(sql, url(), old, period.monthsAgo);
      const keptDays = Math.floor((Date.now() - startOfMonth(period.monthsAgo - 1).getTime()) / DAY_MS);
      const env = { POSTRIDER_SECRET_KEY: key, POSTRIDER_RETENTION: `${keptDays}d` };
      const startWorker = () => startOn({ databaseUrl, roles: 'worker', env });
      const worker = await endMonth(sql, startOfMonth(period.monthsAgo), startWorker);
      while (performance.now() < endMs) {
        for (const sample of samples) await sample.take();
        await sleep(1000);
      }
      expect(await worker.end('SIGTERM')).toBe(0);
      tell(`soak: ${load.numbers()} numbers, history of ${period.monthsAgo} months ago has ended`);
    }
    await load.stop();

    await awaitOutcomes(sql, load.numbers());
    await until('every receipt is acknowledged', async () => (await centre.counts()).pending === 0);
    await checkBooks(sql, load.numbers());
    await checkUpstream(sql, (await centre.counts()).by_destination);
    const memory = samples.map((sample) => sample.figures());
    for (const service of services) expect(await service.end('SIGTERM')).toBe(0);
    tell(`soak of ${MINUTES} minutes: ${load.numbers()} numbers, ${await countUnknown(sql)} unknown`);
    for (const { settled_mb = 0, end_mb = 0 } of memory) {
      tell(
        `memory of a process: ${settled_mb.toFixed(0)} MB in the second quarter, ${end_mb.toFixed(0)} MB in the last`,
      );
      expect(end_mb).toBeLessThan(settled_mb * MAX_GROWTH);
    }
  },
  MINUTES * 60_000 + 600_000,
);

/** Its output. */
async function rotateSecretKey(databaseUrl: string, key: string): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', POSTRIDER_DATABASE_URL: databaseUrl, POSTRIDER_SECRET_KEY: key };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(checkout, 'bin/postrider.mjs'), 'rotate-secret-key'],
    { env },
  );
  return stdout.trim();
}
