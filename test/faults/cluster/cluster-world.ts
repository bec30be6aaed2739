// A service on a database of its own that is spread over the cluster, a message centre with a journal, and customers at work.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { findFreePort } from '../../../tools/bench/lab/program.js';
import { awaitOutcomes, checkBooks, checkUpstream, countUnknown, createChannels } from '../../support/campaign.js';
import { findMachines } from '../../support/cluster.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { checkout } from '../../support/service-process.js';
import { type SpawnedService, spawnCentre, spawnService } from '../../support/spawned.js';
import { until } from '../../support/until.js';
import { type ClusterCustomer, createCustomers, sendAll } from './load.js';
import { findMachine, type Machine } from './machines.js';
import { readWitness, type Witness } from './witness.js';

export const CUSTOMERS = 20;
/** What can be handed over and not recorded when a process ends. */
export const WINDOW = 100;

export interface ClusterWorld {
  readonly database: TestDatabase;
  readonly url: string;
  readonly coordinator: Machine;
  readonly workers: readonly Machine[];
  readonly customers: readonly ClusterCustomer[];
  /** Those whose rows are on that worker. */
  customersOn(worker: Machine): Promise<ClusterCustomer[]>;
  /** How many parts the message centre has accepted. */
  countAccepted(): Promise<number>;
  /** Waits until that share of all numbers was accepted. */
  reach(share: number): Promise<void>;
  killService(): Promise<void>;
  startService(): Promise<void>;
  log(): string;
  /** Waits until all numbers have their outcomes, judges, and tells what the message centre saw. */
  finish(): Promise<ClusterReport>;
  close(): Promise<void>;
}

export interface ClusterReport {
  readonly witness: Witness;
  readonly seconds: number;
  readonly unknown: number;
}

export async function startClusterWorld(numbers: number): Promise<ClusterWorld> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return await begin(numbers, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function begin(numbers: number, closers: (() => unknown)[], close: () => Promise<void>): Promise<ClusterWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-cluster-faults-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const database = await createTestDatabase();
  closers.push(database.drop);
  const journal = join(folder, 'journal');
  const centre = await spawnCentre(['--answer-ms', '5', '--receipt-ms', '50', '--journal', journal]);
  closers.push(() => centre.end('SIGKILL'));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const logs: string[] = [];
  const spawn = () => spawnService({ databaseUrl: database.url, env: { POSTRIDER_PORT: String(port) } });
  let service: SpawnedService = await spawn();
  closers.push(() => service.end('SIGKILL'));
  const [coordinator, ...workers] = await Promise.all((await findMachines(database.address)).map(findMachine));
  if (coordinator === undefined) throw new Error('The cluster has no coordinator.');

  const account = { host: '127.0.0.1', port: centre.port, system_id: 'test', password: 'secret', window: WINDOW };
  const channelNos = await createChannels(url, [{ name: 'SMPP', kind: 'smpp', config: account }]);
  const customers = await createCustomers(url, {
    customers: CUSTOMERS,
    numbers,
    channelNos,
    async bucketOf(customerNo) {
      const [row] = await database.sql<{ bucket: number }[]>`
        select bucket from customer where customer_no = ${customerNo}`;
      return row?.bucket ?? 0;
    },
  });
  const total = customers.reduce((sum, { count }) => sum + count, 0);
  const startedMs = performance.now();
  const sending = Promise.all(customers.map((customer) => sendAll(url, customer)));
  sending.catch(() => {});
  const countAccepted = async () => (await centre.counts()).accepted ?? 0;

  return {
    database,
    url,
    coordinator,
    workers,
    customers,
    async customersOn(worker) {
      const rows = await database.sql<{ bucket: number }[]>`
        select bucket.bucket from bucket join citus_shards as shard on shard.table_name = 'account'::regclass
          and shard.shardid = get_shard_id_for_distribution_column('account', bucket.bucket)
        where shard.nodeport = ${worker.port}`;
      const buckets = new Set(rows.map(({ bucket }) => bucket));
      return customers.filter(({ bucket }) => buckets.has(bucket));
    },
    countAccepted,
    reach: (share) =>
      until(`${share} of the numbers are sent`, async () => (await countAccepted()) >= share * total, 300_000).then(
        () => undefined,
      ),
    async killService() {
      await service.end('SIGKILL');
      logs.push(service.log());
    },
    async startService() {
      service = await spawn();
    },
    log: () => [...logs, service.log()].join('\n--- started again ---\n'),
    async finish() {
      await sending;
      await awaitOutcomes(database.sql, total, 300_000);
      const seconds = (performance.now() - startedMs) / 1000;
      await until('every receipt is acknowledged', async () => (await centre.counts()).pending === 0);
      await checkBooks(database.sql, total);
      const witness = readWitness(journal);
      await checkUpstream(database.sql, witness.accepted);
      await audit(database.url);
      const unknown = await countUnknown(database.sql);
      expect(await service.end('SIGTERM')).toBe(0);
      return { witness, seconds, unknown };
    },
    close,
  };
}

/** As an operator does it; ends with an error where the books are not exact. */
async function audit(databaseUrl: string): Promise<void> {
  const env = { PATH: process.env.PATH ?? '', POSTRIDER_DATABASE_URL: databaseUrl };
  await promisify(execFile)(process.execPath, [join(checkout, 'bin/postrider.mjs'), 'audit'], { cwd: '/', env });
}
