// `postrider bucket list` and `bucket move`: what they show, what they refuse, and that a move loses no write and can be interrupted.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrate/migrate.js';
import { isOnCluster, missingCluster } from '../../support/cluster.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';
import { run, start } from './run-command.js';

interface Listed {
  readonly bucket: number;
  readonly worker: string;
  readonly customers: number;
  readonly bytes: number;
}

test('a database that is not distributed has no buckets to list, move or split', async () => {
  const database = await createTestDatabase({ isEmpty: true });
  const refused = { exitCode: 2, out: '', err: expect.stringContaining('This database is not distributed') };
  try {
    expect(await run(database, ['bucket', 'list'])).toEqual(refused);
    await migrate(database.sql);
    expect(await run(database, ['bucket', 'list', '--json'])).toEqual(refused);
    expect(await run(database, ['bucket', 'move', '0', '--to', '127.0.0.1:5432'])).toEqual(refused);
    expect(await run(database, ['bucket', 'split', '0'])).toEqual(refused);
  } finally {
    await database.drop();
  }
});

describe.skipIf(!isOnCluster)(`on a cluster${missingCluster}`, () => {
  const ENTRIES = 2000;
  let database: TestDatabase;
  /** The bucket with the rows of the only customer, and the customer. */
  let bucket: number;
  let customer: bigint;
  let workers: string[];

  beforeAll(async () => {
    database = await createTestDatabase();
    const { sql } = database;
    const [row] = await sql<{ bucket: number; id: bigint }[]>`
      insert into customer (bucket, customer_no, name, status, currency, billing_mode, credit_limit, charge_on,
        refund_on_failure, unit_price, policy_prepare, policy_freeze, policy_submit, requests_per_second, version)
      select max(bucket), 'One', 'One', 'active', 'CNY', 'prepaid', 0, 'submit', false, 1, 'always', 'always', 'always', 1, 1
      from bucket
      returning bucket, customer_id as id`;
    bucket = row?.bucket ?? -1;
    customer = row?.id ?? 0n;
    await sql`insert into account (bucket, customer_id) values (${bucket}, ${customer})`;
    await sql`
      insert into ledger_entry (bucket, customer_id, seq, type, amount, available_delta, frozen_delta, available_after,
        frozen_after, created_at)
      select ${bucket}::smallint, ${customer}::bigint, seq, 'topup', 1, 1, 0, seq, 0, now()
      from generate_series(1, ${ENTRIES}::int) as seq`;
    workers = [...new Set((await list()).map(({ worker }) => worker))];
  });
  afterAll(() => database?.drop());

  const list = async (): Promise<Listed[]> => {
    const { exitCode, out, err } = await run(database, ['bucket', 'list', '--json']);
    expect(exitCode, err).toBe(0);
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const find = async (): Promise<Listed> => (await list()).find((one) => one.bucket === bucket) as Listed;
  const findOtherWorker = async (): Promise<string> => {
    const { worker } = await find();
    return workers.find((one) => one !== worker) ?? '';
  };
  const move = (to: string) => ['bucket', 'move', String(bucket), '--to', to];
  const addOne = () =>
    database.sql`update account set entry_seq = entry_seq + 1 where bucket = ${bucket} and customer_id = ${customer}`;
  const readCounts = async () => {
    const [row] = await database.sql<{ written: bigint; entries: number }[]>`
      select (select entry_seq from account where bucket = ${bucket} and customer_id = ${customer}) as written,
        (select count(*)::int from ledger_entry where bucket = ${bucket}) as entries`;
    return row;
  };

  test('every bucket is listed with its worker, its customers and its size', async () => {
    const buckets = await list();
    const numbers = await database.sql<{ bucket: number }[]>`select bucket from bucket order by bucket`;
    expect(buckets.map((one) => one.bucket)).toEqual(numbers.map((one) => one.bucket));
    expect(workers).toHaveLength(2);
    expect(buckets.filter(({ customers }) => customers > 0)).toEqual([
      expect.objectContaining({ bucket, customers: 1 }),
    ]);
    const largest = buckets.toSorted((a, b) => b.bytes - a.bytes)[0];
    expect(largest?.bucket).toBe(bucket);
    const { out } = await run(database, ['bucket', 'list']);
    expect(out).toMatch(/^BUCKET +WORKER +CUSTOMERS +SIZE\n/);
    expect(out).toMatch(new RegExp(`\\n +${bucket} +[\\d.:]+ +1 +\\d+\\.\\d MiB\\n`));
  });

  test('what cannot be moved is refused with what to do', async () => {
    const { worker } = await find();
    const refusals: [string[], string][] = [
      [['bucket', 'move', '32767', '--to', worker], 'There is no bucket 32767.'],
      [['bucket', 'move', 'six', '--to', worker], 'A bucket is a number, not "six".'],
      [move('worker-9'), '--to takes a worker as HOST:PORT'],
      [move('worker-9:5432'), `Name one of these: ${workers.toSorted().join(', ')}.`],
      [move(worker), `Bucket ${bucket} is on ${worker} already.`],
    ];
    for (const [words, sentence] of refusals) {
      expect(await run(database, words)).toEqual({ exitCode: 2, out: '', err: expect.stringContaining(sentence) });
    }
    const other = { url: database.url.replace(/\d+(?=\/)/, worker.split(':')[1] ?? '') };
    expect((await run(other, ['bucket', 'list'])).err).toContain('names a worker of the cluster');
  });

  test('a bucket moves with its rows while it is written, and no write is lost', async () => {
    const to = await findOtherWorker();
    const before = (await readCounts())?.written ?? 0n;
    const { terminal, exitCode } = start(database, move(to));
    let isMoving = true;
    let written = 0n;
    const writing = (async () => {
      while (isMoving) {
        // A write that meets the change may fail, and is repeated.
        await addOne().then(
          () => {
            written += 1n;
          },
          () => sleep(5),
        );
      }
    })();
    const code = await exitCode.finally(() => {
      isMoving = false;
    });
    await writing;
    expect(code, terminal.err.text).toBe(0);
    expect(terminal.out.text).toBe(`Bucket ${bucket} is on ${to} now.\n`);
    expect(terminal.err.text).toMatch(/Moved in \d+ s\.\n$/);
    expect((await find()).worker).toBe(to);
    expect(written).toBeGreaterThan(0n);
    expect(await readCounts()).toEqual({ written: before + written, entries: ENTRIES });
  });

  test('one move at a time; an interrupted one leaves the bucket where it was, and may be run again', async () => {
    const { worker } = await find();
    const to = await findOtherWorker();
    const interrupt = new AbortController();
    // A move waits for an open transaction.
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let locked = (): void => {};
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const open = database.sql.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`;
      await tx`update account set frozen = frozen where bucket = ${bucket} and customer_id = ${customer}`;
      locked();
      await ended;
    });
    try {
      await isLocked;
      const { terminal, exitCode } = start(database, move(to), interrupt.signal);
      await until('there is progress', () => / MiB of \d+\.\d MiB \(\d+ %\)/.test(terminal.err.text));
      const second = await run(database, move(to));
      expect(second).toEqual({
        exitCode: 2,
        out: '',
        err: expect.stringContaining('Another move, a split or a rebalance'),
      });
      interrupt.abort();
      expect(await exitCode).toBe(130);
      expect(terminal.err.text).toContain(`Bucket ${bucket} is still on ${worker}.`);
    } finally {
      end();
      await open;
    }
    expect((await find()).worker).toBe(worker);
    const again = await run(database, move(to));
    expect(again.exitCode, again.err).toBe(0);
    expect((await find()).worker).toBe(to);
    expect((await readCounts())?.entries).toBe(ENTRIES);
  });
});
