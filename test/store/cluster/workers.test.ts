// On a cluster the transactions of a bucket run on the worker that holds it, follow it when it moves, and use the coordinator while that
// worker cannot be reached. There they run on the shards, which are not used once the bucket has moved away.

import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readPlanningStateAhead } from '../../../src/pipeline/prepare/planning-state.js';
import { readBucketFences, takeOverBucket } from '../../../src/store/channel/bucket-fence.js';
import { LeaseLostError } from '../../../src/store/channel/channel-lease.js';
import { bucketSql, isPlannedByCluster, spanningSql } from '../../../src/store/cluster/distribution.js';
import { BucketMovedError } from '../../../src/store/cluster/shard-sql.js';
import { type ClusterWorkers, startClusterWorkers } from '../../../src/store/cluster-workers/workers.js';
import { connectDatabase } from '../../../src/store/connect.js';
import { isDatabaseAway, isMachineAway, isOutcomeUnknown } from '../../../src/store/retry.js';
import { runTogether } from '../../../src/store/run-together.js';
import { readPlanningState } from '../../../src/store/snapshot/planning-state.js';
import type { AnySql } from '../../../src/store/sql.js';
import { transact } from '../../../src/store/transact.js';
import { deleteUnmatchedReports } from '../../../src/store/wire/unmatched-report.js';
import { isOnCluster, missingCluster } from '../../support/cluster.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.js';
import { until } from '../../support/until.js';

interface Shard {
  readonly bucket: number;
  readonly id: bigint;
  readonly host: string;
  readonly port: number;
}

const notices: string[] = [];
const CUSTOMER = 1n;
/** The number of PostgreSQL's lock mode `ExclusiveLock`. */
const EXCLUSIVE = 7;

describe.skipIf(!isOnCluster)(`on a cluster${missingCluster}`, () => {
  let database: TestDatabase;
  /** One for each worker, by its name in the catalogue. */
  const proxies = new Map<string, TcpProxy>();
  let workers: ClusterWorkers;
  let shards: Shard[];

  beforeAll(async () => {
    database = await createTestDatabase();
    shards = await readShards();
    for (const { host, port } of shards) {
      const name = `${host}:${port}`;
      if (!proxies.has(name)) proxies.set(name, await startTcpProxy({ host, port }));
    }
    for (const { bucket } of shards) {
      await database.sql`insert into account (bucket, customer_id) values (${bucket}, ${CUSTOMER})`;
    }
    workers = await startClusterWorkers({
      sql: database.sql,
      address: database.address,
      addresses: new Map([...proxies].map(([name, { port }]) => [name, `127.0.0.1:${port}`])),
      connect: { maxConnections: 3, onNotice: ({ message = '' }) => notices.push(message) },
      log: pino({ level: 'silent' }),
    });
  });
  afterAll(async () => {
    await workers?.stop();
    for (const proxy of proxies.values()) await proxy.close();
    await database?.drop();
  });

  const readShards = () => database.sql<Shard[]>`
    select b.bucket, s.shardid as id, s.nodename as host, s.nodeport as port from bucket b
    join citus_shards s on s.table_name = 'account'::regclass
      and s.shardid = get_shard_id_for_distribution_column('account', b.bucket)
    order by b.bucket`;
  const firstShard = (): Shard => shards[0] as Shard;
  const nameOf = ({ host, port }: Shard) => `${host}:${port}`;
  const proxyOf = (shard: Shard): TcpProxy => proxies.get(nameOf(shard)) as TcpProxy;

  test('planning reads what the coordinator has from its shards', async () => {
    const wanted = await readPlanningState(database.sql);
    const seen: string[] = [];
    const coordinator = connectDatabase(database.address, {
      maxConnections: 1,
      settings: { 'citus.log_local_commands': 'on' },
      onNotice: ({ message = '' }) => seen.push(message),
    });
    onTestFinished(() => coordinator.end());
    const plannedHere = () => seen.splice(0).filter((message) => message.includes('config_version')).length;
    expect(await readPlanningState(coordinator)).toMatchObject({ version: wanted.version, live: wanted.live });
    expect(plannedHere()).toBe(1);
    const pool = bucketSql(database.sql, firstShard().bucket);
    expect(await readPlanningStateAhead(coordinator, pool)).toMatchObject({
      version: wanted.version,
      live: wanted.live,
    });
    expect(plannedHere()).toBe(0);
  });

  /** A transaction as the pipeline has them. Returns the port of the machine that ran it. */
  const addOne = (bucket: number): Promise<number> =>
    bucketSql(database.sql, bucket).begin(async (tx) => {
      await tx`select 1 as one from account where bucket = ${bucket} and customer_id = ${CUSTOMER} for update`;
      const [row] = await tx<{ port: number }[]>`select current_setting('port')::int as port`;
      await tx`update account set entry_seq = entry_seq + 1 where bucket = ${bucket} and customer_id = ${CUSTOMER}`;
      return row?.port ?? 0;
    });
  const readCount = async (bucket: number): Promise<bigint | undefined> => {
    const [row] = await database.sql<{ count: bigint }[]>`
      select entry_seq as count from account where bucket = ${bucket} and customer_id = ${CUSTOMER}`;
    return row?.count;
  };

  test('a transaction of a bucket runs on the worker that holds it', async () => {
    expect(new Set(shards.map(nameOf)).size).toBe(2);
    for (const shard of shards) {
      expect(workers.workerOf(shard.bucket)).toBe(nameOf(shard));
      expect(await addOne(shard.bucket)).toBe(shard.port);
    }
  });

  test('a takeover waits for a transaction under the older token, which is then refused', async () => {
    const { bucket } = firstShard();
    const sql = bucketSql(database.sql, bucket);
    const [before, after] = [
      { channelId: 7n, token: 1n },
      { channelId: 7n, token: 2n },
    ];
    // Nothing may be written under a lease before its bucket is taken over.
    const tooEarly = sql.begin((tx) => readBucketFences(tx, bucket, [before])).catch((error: unknown) => error);
    expect(isMachineAway(await tooEarly)).toBe(true);
    await takeOverBucket(sql, bucket, before);
    const events: string[] = [];
    let commit = (): void => {};
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let locked = (): void => {};
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const settling = sql.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`;
      await readBucketFences(tx, bucket, [before]);
      locked();
      await mayCommit;
      events.push('committed');
    });
    await isLocked;
    const taking = takeOverBucket(sql, bucket, after).then(() => events.push('taken over'));
    const waiting = () =>
      sql<{ pid: number }[]>`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and query ilike '%bucket_fence%'`;
    await until('the takeover waits', async () => events.length > 0 || (await waiting()).length > 0);
    commit();
    await Promise.all([settling, taking]);
    expect(events).toEqual(['committed', 'taken over']);
    const late = sql.begin((tx) => readBucketFences(tx, bucket, [before]));
    await expect(late).rejects.toBeInstanceOf(LeaseLostError);
    // An older owner does not lower it.
    await takeOverBucket(sql, bucket, before);
    expect(await sql.begin((tx) => readBucketFences(tx, bucket, [after]))).toBeInstanceOf(Date);
  });

  test('while a worker is not reached its buckets go through the coordinator, and back to it afterwards', async () => {
    const shard = firstShard();
    const other = shards.find((one) => nameOf(one) !== nameOf(shard)) as Shard;
    const proxy = proxyOf(shard);
    onTestFinished(() => proxy.forward());
    const open = bucketSql(database.sql, shard.bucket).begin(async (tx) => {
      await tx`select 1 as one`;
      proxy.goSilent();
      proxy.cut();
      await tx`select 1 as one`;
    });
    const error = await open.catch((reason: unknown) => reason);
    // Others are not concerned, so that they need not wait.
    expect([isDatabaseAway(error), isMachineAway(error)]).toEqual([true, true]);
    const count = await readCount(shard.bucket);
    expect(await addOne(shard.bucket)).toBe(database.address.port);
    expect(await addOne(other.bucket)).toBe(other.port);
    expect(await readCount(shard.bucket)).toBe((count ?? 0n) + 1n);
    proxy.forward();
    await until('the worker is used again', async () => (await addOne(shard.bucket)) === shard.port);
  });

  test('a worker that cannot be reached from the start is named in the log, with the reason', async () => {
    const shard = firstShard();
    const lines: string[] = [];
    const sql = connectDatabase(database.address, { maxConnections: 2 });
    const closed = await startTcpProxy(shard);
    await closed.close();
    const unreached = await startClusterWorkers({
      sql,
      address: database.address,
      addresses: new Map([[nameOf(shard), `127.0.0.1:${closed.port}`]]),
      connect: { maxConnections: 2 },
      log: pino({}, { write: (line: string) => lines.push(line) }),
    });
    try {
      expect(unreached.workerOf(shard.bucket)).toBeUndefined();
      expect(bucketSql(sql, shard.bucket)).toBe(sql);
      const warning = lines.map((line) => JSON.parse(line)).find(({ level }) => level === 40);
      expect(warning).toMatchObject({ worker: nameOf(shard), err: { code: 'ECONNREFUSED' } });
    } finally {
      await unreached.stop();
      await sql.end();
    }
  });

  // The commit of a move reaches the machines one after the other.
  test('while a worker does not know yet that a bucket has moved to it, its transactions use the coordinator', async () => {
    const shard = firstShard();
    const other = shards.find((one) => nameOf(one) !== nameOf(shard)) as Shard;
    const worker = connectDatabase({ ...database.address, host: shard.host, port: shard.port }, { maxConnections: 1 });
    const placeAt = ({ host, port }: Shard) => worker`
      update pg_dist_placement set groupid = n.groupid from pg_dist_node n
      where shardid = ${shard.id} and n.nodename = ${host} and n.nodeport = ${port}`;
    try {
      await placeAt(other);
      await until('it is not used', () => workers.workerOf(shard.bucket) === undefined);
      expect(await addOne(shard.bucket)).toBe(database.address.port);
      await placeAt(shard);
      await until('it is used again', async () => (await addOne(shard.bucket)) === shard.port);
    } finally {
      await placeAt(shard);
      await worker.end();
    }
  });

  test('statements of a bucket are planned without the cluster, in a transaction and alone', async () => {
    const { bucket } = firstShard();
    const sql = bucketSql(database.sql, bucket);
    const explain = async (on: AnySql): Promise<string> => {
      const rows = await on<{ 'QUERY PLAN': string }[]>`
        explain select 1 as one from account a join chunk c using (bucket, customer_id) where a.bucket = ${bucket}`;
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    expect(await explain(database.sql)).toContain('Citus');
    const plans = [await explain(sql), await sql.begin(explain)];
    for (const plan of plans) {
      expect(plan).toMatch(/account_\d+/);
      expect(plan).not.toContain('Citus');
    }
    expect([database.sql, sql].map(isPlannedByCluster)).toEqual([true, false]);
    // Its snapshot would be from before the lock.
    const repeatable = await sql.begin('isolation level repeatable read read only', explain);
    expect(repeatable).toContain('Citus');
  });

  test('a statement alone is committed when it is answered, and its error is its own', async () => {
    const { bucket } = firstShard();
    const sql = bucketSql(database.sql, bucket);
    const before = (await readCount(bucket)) ?? 0n;
    const rows = await sql<{ count: bigint }[]>`
      update account set entry_seq = entry_seq + 1 where bucket = ${bucket} and customer_id = ${CUSTOMER}
      returning entry_seq as count`;
    expect(rows.map(({ count }) => count)).toEqual([before + 1n]);
    expect(await readCount(bucket)).toBe(before + 1n);
    const wrong = sql`select 1 / count(*) as one from account where bucket = ${bucket} and customer_id = 0`;
    await expect(wrong).rejects.toMatchObject({ code: '22012' });
    const wrongWithin = sql.begin((tx) => tx`select 1 / count(*) as one from account where customer_id = 0`);
    await expect(wrongWithin).rejects.toMatchObject({ code: '22012' });
  });

  // Reports that came while their bucket was away are stored on the coordinator, and leave it in the transaction that records them. The
  // cluster does not know of writes to shards: it would commit on the coordinator first, and a worker killed then would have lost a report.
  test('a transaction that also writes a table of the coordinator is not on the shards, and commits in two phases', async () => {
    const { bucket } = firstShard();
    const before = (await readCount(bucket)) ?? 0n;
    const [stored] = await database.sql<{ id: bigint }[]>`
      insert into unmatched_report (channel_id, message_key, message_id, phone, status, code)
      values (1, 'k', 'k', '1', 'delivered', '') returning report_id as id`;
    const id = stored?.id ?? 0n;
    const write = (tx: AnySql) =>
      runTogether(tx, [
        tx`update account set entry_seq = entry_seq + 1 where bucket = ${bucket} and customer_id = ${CUSTOMER}`,
        deleteUnmatchedReports(tx, [id]),
      ]);
    const state = async () => {
      const left = await database.sql`select 1 as one from unmatched_report where report_id = ${id}`;
      return [await readCount(bucket), left.length];
    };
    const onShards = bucketSql(database.sql, bucket);
    await expect(onShards.begin(write)).rejects.toThrow('cannot write a table that has none');
    expect(await state()).toEqual([before, 1]);
    notices.length = 0;
    await spanningSql(database.sql, bucket).begin(async (tx) => {
      await tx`select set_config('citus.log_remote_commands', 'on', true), set_config('client_min_messages', 'notice', true)`;
      await write(tx);
    });
    expect(await state()).toEqual([before + 1n, 0]);
    expect(notices).toContainEqual(expect.stringContaining('PREPARE TRANSACTION'));
  });

  // A move takes this lock on every machine before it copies the last rows, and has it until its commit there.
  test('a move waits for the transactions on the shards, and they for a move', async () => {
    const shard = firstShard();
    const worker = connectDatabase({ ...database.address, host: shard.host, port: shard.port }, { maxConnections: 2 });
    const events: string[] = [];
    const [written, mayCommit, locked, mayMove] = [gate(), gate(), gate(), gate()];
    const waiting = async (count: number): Promise<boolean> => {
      const rows = await worker`
        select 1 as one from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`;
      return rows.length >= count;
    };
    try {
      const open = bucketSql(database.sql, shard.bucket).begin(async (tx) => {
        await tx`set local idle_in_transaction_session_timeout = 0`;
        written.open();
        await mayCommit.opened;
        events.push('committed');
      });
      await written.opened;
      const move = worker.begin(async (tx) => {
        await tx`set local idle_in_transaction_session_timeout = 0`;
        await tx`select lock_shard_metadata(${EXCLUSIVE}, array[${shard.id}::bigint])`;
        events.push('moving');
        locked.open();
        await mayMove.opened;
        events.push('moved');
      });
      await until('the move waits', () => waiting(1));
      mayCommit.open();
      await Promise.all([open, locked.opened]);
      const sql = bucketSql(database.sql, shard.bucket);
      const later = [
        addOne(shard.bucket).then(() => events.push('transaction')),
        sql`update account set entry_seq = entry_seq where bucket = ${shard.bucket}`.then(() =>
          events.push('statement'),
        ),
      ];
      await until('both wait', () => waiting(2));
      // Before they have locked a row, for which others might wait.
      const writing = await worker`
        select 1 as one from pg_stat_activity
        where datname = current_database() and wait_event = 'advisory' and backend_xid is not null`;
      expect(writing.length).toBe(0);
      mayMove.open();
      await Promise.all([move, ...later]);
      expect(events.slice(0, 3)).toEqual(['committed', 'moving', 'moved']);
      expect(events.slice(3).sort()).toEqual(['statement', 'transaction']);
    } finally {
      for (const one of [mayCommit, mayMove]) one.open();
      await worker.end();
    }
  });

  // The shard stays there for a while: what is written to it then is lost, and what is read is old.
  test('a process that has not noticed that a bucket has moved away neither writes nor reads what is left of it', async () => {
    const shard = firstShard();
    const other = shards.find((one) => nameOf(one) !== nameOf(shard)) as Shard;
    const worker = connectDatabase({ ...database.address, host: shard.host, port: shard.port }, { maxConnections: 1 });
    const placeAt = ({ host, port }: Shard) => worker`
      update pg_dist_placement set groupid = n.groupid from pg_dist_node n
      where shardid = ${shard.id} and n.nodename = ${host} and n.nodeport = ${port}`;
    const sql = bucketSql(database.sql, shard.bucket);
    const before = await readCount(shard.bucket);
    const add = (on: AnySql) => on`
      update account set entry_seq = entry_seq + 1 where bucket = ${shard.bucket} and customer_id = ${CUSTOMER}`;
    try {
      await placeAt(other);
      const attempts: (() => Promise<unknown>)[] = [
        () => sql.begin(add),
        // The commit is sent behind the write, without waiting for it.
        () => transact(sql, async (tx) => ({ result: undefined, end: async () => await add(tx) })),
        async () => await add(sql),
        async () => await sql`select entry_seq from account where bucket = ${shard.bucket}`,
      ];
      for (const attempt of attempts) {
        const error = await attempt().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(BucketMovedError);
        expect([isMachineAway(error), isOutcomeUnknown(error)]).toEqual([true, false]);
      }
      expect(workers.workerOf(shard.bucket)).toBeUndefined();
    } finally {
      await placeAt(shard);
      await worker.end();
    }
    expect(await readCount(shard.bucket)).toBe(before);
    await until('it is used again', async () => (await addOne(shard.bucket)) === shard.port);
  });

  test.each(['block_writes', 'force_logical'])(
    'a bucket that moves under load by %s is followed, and no transaction is lost',
    async (mode) => {
      shards = await readShards();
      const shard = firstShard();
      const target = shards.find((one) => nameOf(one) !== nameOf(shard)) as Shard;
      const before = (await readCount(shard.bucket)) ?? 0n;
      let isMoving = true;
      let added = 0n;
      const addAlone = async (bucket: number): Promise<void> => {
        const changed = await bucketSql(database.sql, bucket)`
        update account set entry_seq = entry_seq + 1 where bucket = ${bucket} and customer_id = ${CUSTOMER}`;
        if (changed.count !== 1) throw new Error(`${changed.count} rows`);
      };
      const load = async (add: (bucket: number) => Promise<unknown>): Promise<void> => {
        while (isMoving) {
          // A transaction that meets the change fails as a whole, and is repeated.
          await add(shard.bucket).then(
            () => {
              added += 1n;
            },
            () => sleep(5),
          );
        }
      };
      const loads = [load(addOne), load(addOne), load(addAlone)];
      try {
        await database.sql`
        select citus_move_shard_placement(${shard.id}, ${shard.host}, ${shard.port}, ${target.host}, ${target.port},
          shard_transfer_mode => ${mode}::citus.shard_transfer_mode)`;
        await until('it is followed', () => workers.workerOf(shard.bucket) === nameOf(target));
      } finally {
        isMoving = false;
        await Promise.all(loads);
      }
      expect(await addOne(shard.bucket)).toBe(target.port);
      expect(added).toBeGreaterThan(0n);
      expect(await readCount(shard.bucket)).toBe(before + added + 1n);
    },
  );
});

interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

function gate(): Gate {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
