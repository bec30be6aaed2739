// A transaction whose connection ends writes and commits nothing more, whatever its function still does. The connection is
// ended before and after every statement, and the driver has it closed, open again, or inside another transaction when the
// function goes on.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../../src/store/connect.js';
import type { AnySql, Sql } from '../../../src/store/sql.js';
import { transact } from '../../../src/store/transact.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';

let database: TestDatabase;
let pool: Sql;

beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true });
  await database.sql`create table written (n int, backend int default pg_backend_pid())`;
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.sql`truncate written`;
  // One connection: when it is open again, it is the one that the lost transaction had.
  pool = connectDatabase(database.address, { maxConnections: 1 });
  const opened = pool;
  onTestFinished(() => opened.end({ timeout: 1 }));
});

const readWritten = async () =>
  (await database.sql<{ n: number }[]>`select n from written order by n`).map(({ n }) => n);

const readBackend = async (tx: AnySql): Promise<number> => {
  const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid ?? 0;
};

/** Every way in which a statement is sent. */
const WRITES: readonly ((tx: AnySql) => PromiseLike<unknown>)[] = [
  (tx) => tx`insert into written values (1)`,
  (tx) => tx`insert into written values (${2})`,
  (tx) => tx.unsafe('insert into written values (3)'),
  (tx) => tx.unsafe('insert into written values ($1)', [4], { prepare: true }),
  (tx) => tx`insert into written values (5)`.simple(),
  (tx) => Promise.all([tx`insert into written values (6)`, tx`insert into written values (${7})`]),
];

/** How the connection of a transaction ends while its function is busy elsewhere. */
const ENDS: Readonly<Record<string, (tx: AnySql) => Promise<unknown>>> = {
  'is terminated': async (tx) => {
    const pid = await readBackend(tx);
    await database.sql`select pg_terminate_backend(${pid})`;
  },
  'was idle for too long': (tx) => tx`select set_config('idle_in_transaction_session_timeout', '20', true)`,
};

/** What the pool does with the connection before the function goes on. Returns what ends that use. */
const AFTERWARDS: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  closed: async () => async () => undefined,
  'open again': async () => {
    await pool`select 1`;
    return async () => undefined;
  },
  'in another transaction': async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let other: Promise<unknown> = Promise.resolve();
    await new Promise<void>((resolve) => {
      other = pool.begin(async (tx) => {
        await tx`insert into written values (100)`;
        resolve();
        await finished;
        await tx`insert into written values (101)`;
      });
    });
    return () => {
      finish();
      return other;
    };
  },
};

/** A statement that is lost would keep its test waiting until the limit of the test. */
const NO_ANSWER_MS = 10_000;

/** What the statement ended with. */
async function outcomeOf(statement: PromiseLike<unknown>): Promise<unknown> {
  const limit = new AbortController();
  const noAnswer = sleep(NO_ANSWER_MS, 'no answer', { signal: limit.signal }).catch(() => undefined);
  const answered = Promise.resolve(statement).catch((error: unknown) => error);
  return await Promise.race([answered, noAnswer]).finally(() => limit.abort());
}

/** Ends the connection before statement `at`, goes on with that and all others, and says how each of them ended. */
async function loseAt(
  at: number,
  end: (tx: AnySql) => Promise<unknown>,
  afterwards: () => Promise<() => Promise<unknown>>,
  isThrown: boolean,
) {
  const late: unknown[] = [];
  let finishOther: () => Promise<unknown> = async () => undefined;
  let isOver = () => {};
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  let isLost = (_: unknown) => {};
  const lost = new Promise((resolve) => {
    isLost = resolve;
  });
  const begun = pool.begin(async (tx) => {
    for (const write of WRITES.slice(0, at)) await Promise.resolve(write(tx)).catch(() => {});
    await end(tx);
    await lost;
    finishOther = await afterwards();
    for (const write of WRITES) {
      late.push(await outcomeOf(write(tx)));
      if (late.at(-1) === 'no answer') break;
    }
    // Behind the commit or the rollback that the driver attempts.
    setImmediate(isOver);
    if (isThrown) throw new Error('the function failed');
  });
  const error = await begun.catch((reason: unknown) => reason);
  isLost(error);
  await over;
  await finishOther();
  return { error, late };
}

describe.each(Object.keys(ENDS))('a transaction whose connection %s', (how) => {
  describe.each(Object.keys(AFTERWARDS))('and is then %s', (then) => {
    test.each(WRITES.map((_, at) => at))('does nothing but fail from statement %i on', async (at) => {
      for (const isThrown of [false, true]) {
        await database.sql`truncate written`;
        const { error, late } = await loseAt(
          at,
          ENDS[how] ?? expect.fail(),
          AFTERWARDS[then] ?? expect.fail(),
          isThrown,
        );
        expect(error).toMatchObject({ code: 'CONNECTION_CLOSED' });
        for (const each of late)
          expect(each).toMatchObject({ name: 'TransactionLostError', code: 'CONNECTION_CLOSED' });
        expect(late).toHaveLength(WRITES.length);
        expect(await readWritten()).toEqual(then === 'in another transaction' ? [100, 101] : []);
        expect(await pool`select 1 as one`).toEqual([{ one: 1 }]);
      }
    });
  });
});

test('statements that are queued behind others when the connection ends are rejected too', async () => {
  let settled: Promise<readonly PromiseSettledResult<unknown>[]> = Promise.resolve([]);
  const outcomes = await pool
    .begin(async (tx) => {
      const pid = await readBackend(tx);
      // With parameters it is described first, and the driver keeps the others back meanwhile.
      const waiting = [
        tx`select pg_sleep(${30})`,
        tx`insert into written values (1)`,
        tx`insert into written values (2)`,
      ];
      settled = Promise.allSettled(waiting);
      await until('it runs', async () => {
        const rows = await database.sql`select 1 from pg_stat_activity where pid = ${pid} and query like '%pg_sleep%'`;
        return rows.length > 0;
      });
      await database.sql`select pg_terminate_backend(${pid})`;
    })
    .catch((error: unknown) => error);
  expect(outcomes).toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await readWritten()).toEqual([]);
});

test('the last statements of a lost transaction, sent with its commit, do nothing but fail', async () => {
  let isLost = (_: unknown) => {};
  const lost = new Promise((resolve) => {
    isLost = resolve;
  });
  let last: Promise<unknown> = Promise.resolve();
  const transacted = transact(pool, async (tx) => {
    await tx`insert into written values (1)`;
    await ENDS['is terminated']?.(tx);
    await lost;
    await pool`select 1`;
    const end = () => {
      last = Promise.allSettled([tx`insert into written values (2)`, tx`insert into written values (${3})`]);
      return last;
    };
    return { result: 'done', end };
  });
  isLost(await transacted.catch((error: unknown) => error));
  await until('the function has ended', async () => (await last) !== undefined);
  expect(await last).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  expect(await readWritten()).toEqual([]);
});

test('a statement sent behind the end of its transaction is refused, also while the connection serves another one', async () => {
  let kept: AnySql | undefined;
  let slow: Promise<unknown> = Promise.resolve();
  await pool.begin(async (tx) => {
    kept = tx;
    await tx`insert into written values (1)`;
  });
  const late = kept ?? expect.fail();
  await expect(late`insert into written values (2)`).rejects.toMatchObject({ name: 'TransactionEndedError' });
  await pool.begin(async (tx) => {
    await tx`insert into written values (3)`;
    await expect(late`insert into written values (4)`).rejects.toMatchObject({ name: 'TransactionEndedError' });
  });
  const failed = pool.begin(async (tx) => {
    const second = tx`select pg_sleep(0.01)`.then(() => tx`insert into written values (5)`);
    slow = second.then(
      () => 'written',
      (error: Error) => error.name,
    );
    throw new Error('the other one failed');
  });
  await expect(failed).rejects.toThrow('the other one failed');
  expect(await slow).toBe('TransactionEndedError');
  expect(await readWritten()).toEqual([1, 3]);
});

test('what waits for a connection gets the first that is free, and no transaction begins behind a statement of another', async () => {
  const two = connectDatabase(database.address, { maxConnections: 2 });
  onTestFinished(() => two.end({ timeout: 1 }));
  let late: Promise<unknown> = Promise.resolve();
  const countBlocked = async () =>
    (await database.sql`select 1 from pg_stat_activity where wait_event = 'advisory'`).length;
  await database.sql.begin(async (holder) => {
    await holder`select pg_advisory_xact_lock(2)`;
    let blocked: Promise<unknown> = Promise.resolve();
    await database.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(1)`;
      const transaction = two.begin((other) => other`select pg_advisory_xact_lock(1)`);
      blocked = two`select pg_advisory_xact_lock(2)`.execute();
      await until('both connections are taken', async () => (await countBlocked()) === 2);
      // As many as the driver would send behind the blocked statement, and the first transaction as the last of them.
      const plain = Array.from({ length: 99 }, () => two`select 1`.execute());
      const begun = [1, 2].map((n) => two.begin((other) => other`insert into written values (${n})`));
      late = Promise.all([transaction, ...plain, ...begun]);
    });
    await late;
    expect(await readWritten()).toEqual([1, 2]);
    expect(await countBlocked()).toBe(1);
    void blocked.catch(() => {});
  });
});

test('a reserved session that lost its connection, or was given back, sends nothing more', async () => {
  const two = connectDatabase(database.address, { maxConnections: 2 });
  onTestFinished(() => two.end({ timeout: 1 }));
  const [lost, kept] = await Promise.all([two.reserve(), two.reserve()]);
  const pids = [await readBackend(lost), await readBackend(kept), await readBackend(kept)];
  expect(pids[1]).toBe(pids[2]);
  expect(pids[0]).not.toBe(pids[1]);

  await expect(lost`select pg_terminate_backend(pg_backend_pid())`).rejects.toThrow();
  expect(await outcomeOf(lost`insert into written values (1)`)).toMatchObject({ name: 'TransactionLostError' });
  kept.release();
  expect(await outcomeOf(kept`insert into written values (2)`)).toMatchObject({ name: 'TransactionEndedError' });
  lost.release();
  const again = await Promise.all([two.reserve(), two.reserve()]);
  expect(await Promise.all(again.map(readBackend))).toContain(pids[1]);
  for (const session of again) session.release();
  expect(await readWritten()).toEqual([]);
});

test('the service connects in few places, and begins no transaction by a statement', async () => {
  const root = join(import.meta.dirname, '../../../src');
  const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const found: string[] = [];
  for (const name of files) {
    const source = await readFile(join(root, name), 'utf8');
    if (/= postgres\(|: postgres\(/.test(source)) found.push(`${name} opens connections`);
    if (/\w`\s*(begin|commit|rollback|start transaction)\b\s*`/i.test(source))
      found.push(`${name} begins by statement`);
  }
  expect(found.sort()).toEqual([
    // In a session of an operator's command, which can be cancelled by its number. It is never repeated.
    'store/cluster/split-bucket.ts begins by statement',
    'store/connect.ts opens connections',
    // Asks one question, in no transaction.
    'store/connection/find-primary.ts opens connections',
    // Holds a lock of its session, in no transaction.
    'store/embedded/exclusive-session.ts opens connections',
  ]);
});
