// Spreading a database with rows over a cluster: what it refuses, what an interruption leaves, and where the rows are then.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { distribute } from '../../../src/store/cluster/distribute.js';
import { detectDistribution } from '../../../src/store/cluster/distribution.js';
import { DISTRIBUTED, ON_COORDINATOR, REFERENCE } from '../../../src/store/cluster/tables.js';
import { connectDatabase } from '../../../src/store/connect.js';
import { migrate } from '../../../src/store/migrate/migrate.js';
import { ensurePartitions } from '../../../src/store/partitions.js';
import type { Sql } from '../../../src/store/sql.js';
import { addWorkers, isOnCluster, missingCluster } from '../../support/cluster.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const SHARDS = 3;
const TABLES = DISTRIBUTED.length + REFERENCE.length + ON_COORDINATOR.length;
const silent = () => {};

/** As the command connects: not as a service. */
const connect = ({ address }: TestDatabase) =>
  connectDatabase(address, { maxConnections: 1, statementTimeoutMs: 0, applicationName: 'postrider-test' });

test('a database without the extension is refused', async () => {
  const database = await createTestDatabase({ isEmpty: true });
  const sql = connect(database);
  try {
    await migrate(sql);
    await expect(distribute(sql, { say: silent })).rejects.toThrow('no Citus extension');
  } finally {
    await sql.end();
    await database.drop();
  }
});

describe.skipIf(!isOnCluster)(`on a cluster${missingCluster}`, () => {
  let database: TestDatabase;
  let sql: Sql;

  beforeAll(async () => {
    database = await createTestDatabase({ isEmpty: true });
    // Of an observer of the test; it would be taken for a service.
    await database.sql.end();
    sql = connect(database);
    await addWorkers(database.address, async () => {
      await migrate(sql);
      await ensurePartitions(sql, new Date());
      await writeRows(sql);
      await expect(distribute(sql, { say: silent })).rejects.toThrow('no machine for the tables');
    });
  });
  afterAll(async () => {
    await sql?.end();
    await database?.drop();
  });

  test('nothing happens while a service is connected', async () => {
    const service = connectDatabase(database.address, { maxConnections: 1 });
    await service`select 1`;
    await expect(distribute(sql, { shards: SHARDS, say: silent })).rejects.toThrow('A service is running');
    await service.end();
    expect(await detectDistribution(sql)).toBe(false);
  });

  test('after an interruption no service starts, and the next run continues', async () => {
    const other = connect(database);
    const victim = connect(database);
    const [{ pid } = { pid: 0 }] = await victim<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const lines: string[] = [];
    const dieHalfWay = (line: string) => {
      lines.push(line);
      // While the next table is under way, or about to be.
      if (line.includes(' delivery:')) void other`select pg_terminate_backend(${pid}::int)`.then(silent);
    };
    await expect(distribute(victim, { shards: SHARDS, say: dieHalfWay })).rejects.toThrow();
    expect(lines.length).toBeLessThan(TABLES);
    await victim.end();
    await other.end();
    await expect(detectDistribution(sql)).rejects.toThrow('begun and not finished');
    await expect(distribute(sql, { shards: SHARDS + 1, say: silent })).rejects.toThrow(`over ${SHARDS} shards`);
    // A release that is newer, or the same once more, does not stand in its way.
    expect(await migrate(sql)).toEqual([]);
    await distribute(sql, { say: silent });
    expect(await detectDistribution(sql)).toBe(true);
    expect(await readPlaces(sql)).toBe(TABLES);
  });

  test('every row is there once, in the bucket of its customer, and those with much to do are apart', async () => {
    const customers = await sql<{ bucket: number }[]>`select distinct bucket from customer`;
    expect(customers).toHaveLength(2);
    for (const table of ['account', 'receipt', 'ledger_entry']) {
      const rows = await sql<{ rows: number; strays: number }[]>`
        select count(*)::int as rows, count(*) filter (where t.bucket <> c.bucket)::int as strays
        from ${sql(table)} t join customer c on c.customer_id = t.customer_id`;
      expect([table, ...rows]).toEqual([table, { rows: table === 'account' ? 2 : 2000, strays: 0 }]);
    }
  });

  test('each bucket is a shard', async () => {
    const rows = await sql<{ shard: bigint }[]>`
      select distinct get_shard_id_for_distribution_column('account', bucket) as shard from bucket`;
    expect(rows).toHaveLength(SHARDS);
  });

  test('run again it changes nothing, and another number of shards is refused', async () => {
    const lines: string[] = [];
    await distribute(sql, { shards: SHARDS, say: (line) => lines.push(line) });
    expect(lines).toEqual([]);
    await expect(distribute(sql, { shards: SHARDS + 1, say: silent })).rejects.toThrow(`over ${SHARDS} shards`);
  });

  test('a table that a migration made, and that was left where it was, is put in its place by the next start', async () => {
    await sql`select undistribute_table('webhook_attempt')`;
    expect(await readPlaces(sql)).toBe(TABLES - 1);
    const second = connect(database);
    // Two processes of a new release, at once.
    await Promise.all([migrate(sql), migrate(second)]);
    await second.end();
    expect(await readPlaces(sql)).toBe(TABLES);
  });
});

/** Two customers with a thousand receipts and entries each, and what belongs to no customer. */
async function writeRows(sql: Sql): Promise<void> {
  await sql`
    insert into commit_mark (bucket, process, slot, number, marked_at) values (0, gen_random_uuid(), 1, 1, now())`;
  for (const name of ['One', 'Two']) {
    const [row] = await sql<{ id: bigint }[]>`
      insert into customer (customer_no, name, status, currency, billing_mode, credit_limit, charge_on, refund_on_failure,
        unit_price, policy_prepare, policy_freeze, policy_submit, requests_per_second, version)
      values (${name}, ${name}, 'active', 'CNY', 'prepaid', 0, 'submit', false, 1, 'always', 'always', 'always', 1, 1)
      returning customer_id as id`;
    const id = row?.id ?? 0n;
    await sql`insert into account (customer_id, available, entry_seq) values (${id}, 1000, 1000)`;
    await sql`
      insert into ledger_entry (customer_id, seq, type, amount, available_delta, frozen_delta, available_after, frozen_after,
        created_at)
      select ${id}, seq, 'topup', 1, 1, 0, seq, 0, now() from generate_series(1, 1000) as seq`;
    await sql`
      insert into receipt (customer_id, receipt_id, task_id, seq, phone, phone_key, result, code, parts, price)
      select ${id}, (extract(epoch from now()) * 1000)::bigint << 20 | seq, 1, seq, '', seq, 'delivered', '', 1, 1
      from generate_series(1, 1000) as seq`;
  }
}

/** How many tables the cluster knows, their parts by month apart. */
async function readPlaces(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_dist_partition join pg_class on pg_class.oid = logicalrelid where not relispartition`;
  return row?.count ?? 0;
}
