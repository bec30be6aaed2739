// `postrider bucket split`: what it refuses, that it loses no write on any path, and that a running service sends for the new bucket.

import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Bucket, readBuckets, type Worker } from '../../../src/store/cluster/buckets.js';
import { bucketSql, spanningSql } from '../../../src/store/cluster/distribution.js';
import { choosePlaces, planSplit } from '../../../src/store/cluster/split-bucket.js';
import { DISTRIBUTED } from '../../../src/store/cluster/tables.js';
import { startClusterWorkers } from '../../../src/store/cluster-workers/workers.js';
import { connectDatabase } from '../../../src/store/connect.js';
import { auditAll } from '../../../src/store/money/audit-money.js';
import type { AnySql, Sql } from '../../../src/store/sql.js';
import { isOnCluster, missingCluster } from '../../support/cluster.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { run, start } from './run-command.js';

const CUSTOMER = 1n;
const nameOf = ({ host, port }: Worker) => `${host}:${port}`;

/** A server may know a list of the libraries that decode changes. Returns whether it does. */
async function setDecoders({ sql, address }: TestDatabase, libraries: string): Promise<boolean> {
  const known = await sql`select 1 as one from pg_settings where name = 'output_plugin_libraries'`;
  if (known.length === 0) return false;
  const command = `alter database ${address.database} set output_plugin_libraries = ${libraries}`;
  const rows = await sql<{ success: boolean }[]>`select success from run_command_on_all_nodes(${command})`;
  expect(rows.every(({ success }) => success)).toBe(true);
  return true;
}

const allowDecoding = (database: TestDatabase) => setDecoders(database, 'pgoutput, citus');

test('the rows go to another worker, the new bucket to the one with the fewest, unless one is named', () => {
  const [a, b, c] = [1, 2, 3].map((at) => ({ host: 'worker', port: at })) as [Worker, Worker, Worker];
  const place = (worker: Worker, bucket: number): Bucket => ({ bucket, worker, shardId: 1n, customers: 0, bytes: 0 });
  const buckets = [a, a, b, b].map(place);
  const choose = (workers: Worker[], wanted = {}) => choosePlaces(place(a, 0), buckets, workers, wanted);
  expect(choose([a, b])).toEqual({ rows: b, added: a });
  expect(choose([a, b, c])).toEqual({ rows: c, added: a });
  expect(choose([a, b, c], { added: c })).toEqual({ rows: c, added: c });
  expect(choose([a, b], { rows: b, added: b })).toEqual({ rows: b, added: b });
  expect(choose([a])).toBeUndefined();
});

describe.skipIf(!isOnCluster)(`on a cluster${missingCluster}`, () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await allowDecoding(database);
    for (const { bucket } of await readBuckets(database.sql)) {
      await database.sql`insert into account (bucket, customer_id) values (${bucket}, ${CUSTOMER})`;
    }
  });
  afterAll(() => database?.drop());

  const list = () => readBuckets(database.sql);
  const first = async (): Promise<Bucket> => (await list())[0] as Bucket;
  const find = async (bucket: number): Promise<Bucket> => (await list()).find((one) => one.bucket === bucket) as Bucket;
  const readCount = async (bucket: number): Promise<bigint | undefined> => {
    const [row] = await database.sql<{ count: bigint }[]>`
      select entry_seq as count from account where bucket = ${bucket} and customer_id = ${CUSTOMER}`;
    return row?.count;
  };

  test('what cannot be split is refused with what to do', async () => {
    const before = await list();
    const { bucket, worker } = await first();
    const split = (...more: string[]) => ['bucket', 'split', String(bucket), ...more];
    const refusals: [string[], string][] = [
      [['bucket', 'split', '32767'], 'There is no bucket 32767.'],
      [['bucket', 'split', 'six'], 'A bucket is a number, not "six".'],
      [split('--to', 'worker-9'), '--to takes a worker as HOST:PORT'],
      [split('--rows-to', 'worker-9'), '--rows-to takes a worker as HOST:PORT'],
      [split('--to', 'worker-9:5432'), 'The cluster has no worker worker-9:5432'],
      [split('--rows-to', nameOf(worker)), 'A split takes its rows to another worker.'],
    ];
    for (const [words, sentence] of refusals) {
      expect(await run(database, words)).toEqual({ exitCode: 2, out: '', err: expect.stringContaining(sentence) });
    }
    const guest = `guest_${process.pid}`;
    await database.sql.unsafe(`create role ${guest} login in role pg_read_all_data, pg_write_all_data`);
    onTestFinished(async () => {
      await database.sql.unsafe(`drop role if exists ${guest}`);
    });
    const url = new URL(database.url);
    url.username = guest;
    const forbidden = await run({ url: url.href }, split());
    expect(forbidden).toMatchObject({ exitCode: 2, err: expect.stringContaining('it does not own the tables') });
    expect(await list()).toEqual(before);
  });

  test('a server that does not let Citus decode changes is named, with what to do, and nothing has changed', async () => {
    const before = await list();
    if (!(await setDecoders(database, 'pgoutput'))) return;
    onTestFinished(async () => {
      await allowDecoding(database);
    });
    const { exitCode, err } = await run(database, ['bucket', 'split', String((await first()).bucket)]);
    expect(exitCode).toBe(2);
    const words = err.replaceAll('\n', ' ');
    expect(words).toContain('set output_plugin_libraries = pgoutput, citus');
    expect(words).toContain('--block-writes');
    expect((await list()).map(({ bucket, shardId }) => [bucket, shardId])).toEqual(
      before.map(({ bucket, shardId }) => [bucket, shardId]),
    );
  });

  test('a range without a number for another bucket cannot be split', async () => {
    const bucket = await first();
    const rolledBack = new Error('rolled back');
    const trying = database.sql.begin(async (tx) => {
      expect(await planSplit(tx, bucket)).toMatchObject({ bucket });
      const hash = tx`worker_hash(${bucket.bucket}::smallint)`;
      await tx`update pg_dist_shard set shardminvalue = ${hash} - 1, shardmaxvalue = ${hash} + 1 where shardid = ${bucket.shardId}`;
      expect(await planSplit(tx, bucket)).toBeUndefined();
      throw rolledBack;
    });
    await expect(trying).rejects.toBe(rolledBack);
  });

  test.each([
    ['copied while it is written', []],
    ['with its writes waiting', ['--block-writes']],
  ])('a bucket is split under writes, %s, and none is lost on any path', async (_how, options) => {
    const before = await list();
    const { bucket, worker, shardId } = await first();
    const sql = connectDatabase(database.address, { maxConnections: 3 });
    const workers = await startClusterWorkers({
      sql,
      address: database.address,
      addresses: new Map(),
      connect: { maxConnections: 3 },
      log: pino({ level: 'silent' }),
    });
    onTestFinished(async () => {
      await workers.stop();
      await sql.end();
    });
    const addOne = (tx: AnySql) =>
      tx`update account set entry_seq = entry_seq + 1 where bucket = ${bucket} and customer_id = ${CUSTOMER}`;
    const pools: Record<string, () => Sql> = {
      'on the shards': () => bucketSql(sql, bucket),
      'by Citus on the worker': () => spanningSql(sql, bucket),
      'by Citus on the coordinator': () => database.sql,
    };
    const counts = Object.fromEntries(Object.keys(pools).map((name) => [name, 0]));
    const count = (await readCount(bucket)) ?? 0n;
    let isSplitting = true;
    const writing = Object.entries(pools).flatMap(([name, poolOf]) =>
      [addOne, (pool: Sql) => pool.begin(addOne)].map(async (write) => {
        while (isSplitting) {
          // A write that meets the change may fail, and is repeated.
          await write(poolOf()).then(
            () => {
              counts[name] = (counts[name] ?? 0) + 1;
            },
            () => sleep(5),
          );
        }
      }),
    );
    const { terminal, exitCode } = start(database, ['bucket', 'split', String(bucket), ...options]);
    const code = await exitCode.finally(() => {
      isSplitting = false;
    });
    await Promise.all(writing);
    expect(code, terminal.err.text).toBe(0);
    expect(terminal.err.text).toMatch(/Split in \d+ s\.\n$/);
    const written = Object.values(counts).reduce((sum, one) => sum + one, 0);
    expect(Object.values(counts).every((one) => one > 0)).toBe(true);
    expect([counts, await readCount(bucket)]).toEqual([counts, count + BigInt(written)]);

    const after = await list();
    const added = after.filter((one) => !before.some((other) => other.bucket === one.bucket));
    expect(added).toHaveLength(1);
    expect(added[0]?.customers).toBe(0);
    const now = await find(bucket);
    expect(terminal.out.text).toBe(
      `Bucket ${added[0]?.bucket} is new, on ${nameOf(added[0]?.worker as Worker)}. Bucket ${bucket} is on ${nameOf(now.worker)} now.\n`,
    );
    expect(nameOf(now.worker)).not.toBe(nameOf(worker));
    expect(now.shardId).not.toBe(shardId);
    // One shard for each bucket, in all tables.
    expect(new Set(after.map((one) => one.shardId)).size).toBe(after.length);
    const shards = await database.sql<{ shards: number }[]>`
      select distinct count(*)::int as shards from pg_dist_shard
      where logicalrelid::text in ${database.sql(DISTRIBUTED)} group by logicalrelid`;
    expect(shards).toEqual([{ shards: after.length }]);
    for (const one of [now, added[0] as Bucket]) {
      await until('its worker is used', () => workers.workerOf(one.bucket) === nameOf(one.worker));
    }
  });

  test('one split or move at a time; an interrupted one changes nothing', async () => {
    const before = await list();
    const { bucket } = await first();
    const interrupt = new AbortController();
    const split = ['bucket', 'split', String(bucket)];
    const [locked, ended] = [gate(), gate()];
    // A split waits for an open transaction.
    const open = database.sql.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`;
      await tx`update account set frozen = frozen where bucket = ${bucket} and customer_id = ${CUSTOMER}`;
      locked.open();
      await ended.opened;
    });
    try {
      await locked.opened;
      const { terminal, exitCode } = start(database, split, interrupt.signal);
      await until('there is progress', () => / MiB of \d+\.\d MiB \(\d+ %\)/.test(terminal.err.text));
      const refused = { exitCode: 2, out: '', err: expect.stringContaining('Another move, a split or a rebalance') };
      expect(await run(database, split)).toEqual(refused);
      const other = before.find(({ worker }) => nameOf(worker) !== nameOf((before[0] as Bucket).worker)) as Bucket;
      expect(await run(database, ['bucket', 'move', String(bucket), '--to', nameOf(other.worker)])).toEqual(refused);
      interrupt.abort();
      expect(await exitCode).toBe(130);
      expect(terminal.err.text).toContain('Nothing has changed.');
    } finally {
      ended.open();
      await open;
    }
    const places = (buckets: readonly Bucket[]) => buckets.map((one) => [one.bucket, one.shardId, nameOf(one.worker)]);
    expect(places(await list())).toEqual(places(before));
  });

  test('a service sends on during a split, and a new customer goes to the new bucket and sends', async () => {
    let url = '';
    const service = await startService({
      before: async (own) => {
        url = own.url;
        await allowDecoding(own);
      },
    });
    onTestFinished(() => service.stop());
    const bucketOf = async (customerNo: string): Promise<number | undefined> => {
      const [row] = await service.sql<{ bucket: number }[]>`
        select bucket from customer where customer_no = ${customerNo}`;
      return row?.bucket;
    };
    const phones = (at: number) => Array.from({ length: 5 }, (_, one) => String(13_900_100_000 + 10 * at + one));
    const old = await readBuckets(service.sql);
    const customers = [];
    for (const { bucket } of old) customers.push(await service.addCustomer({ bucket }));
    let isSplitting = true;
    const tasks = customers.map(async (customer) => {
      const sent: string[] = [];
      for (let at = 0; isSplitting; at += 1) {
        sent.push((await customer.send(phones(at))).task_no);
        await sleep(100);
      }
      return sent;
    });
    const { exitCode, err } = await run({ url }, ['bucket', 'split', String(old[0]?.bucket)]).finally(() => {
      isSplitting = false;
    });
    expect(exitCode, err).toBe(0);
    for (const [at, sent] of (await Promise.all(tasks)).entries()) {
      expect(sent.length).toBeGreaterThan(0);
      for (const taskNo of sent) {
        expect((await customers[at]?.completed(taskNo))?.counts).toMatchObject({ total: 5, delivered: 5 });
      }
    }
    const [added] = (await readBuckets(service.sql)).filter(({ bucket }) => !old.some((one) => one.bucket === bucket));
    const customer = await service.addCustomer();
    expect(await bucketOf(customer.customerNo)).toBe(added?.bucket);
    const { task_no } = await customer.send(phones(0));
    expect((await customer.completed(task_no)).counts).toMatchObject({ total: 5, delivered: 5 });
    // Those who were there stay where they are.
    expect(await Promise.all(customers.map((one) => bucketOf(one.customerNo)))).toEqual(old.map((one) => one.bucket));
    const again = await customers[0]?.send(phones(1));
    expect((await customers[0]?.completed(again?.task_no ?? ''))?.counts.delivered).toBe(5);
    expect(await auditAll(service.sql)).toEqual([]);
  });
});

function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
