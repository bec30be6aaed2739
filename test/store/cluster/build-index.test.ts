// Indexes are built beside traffic on a cluster too.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/store/connect.js';
import { buildIndex } from '../../../src/store/migrate/build-index.js';
import { isOnCluster, missingCluster } from '../../support/cluster.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

describe.skipIf(!isOnCluster)(`on a cluster${missingCluster}`, () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database?.drop());
  const progress = { say: () => {} };

  const isValid = async (index: string) => {
    const rows = await database.sql`
      select indisvalid as valid from pg_index where indexrelid = to_regclass(${index})`;
    return rows[0]?.valid;
  };
  const countOnShards = async (like: string) => {
    const rows = await database.sql<{ result: string }[]>`
      select result from run_command_on_workers(
        ${`select count(*) from pg_index where indisvalid and indexrelid::regclass::text like '${like}'`})`;
    return rows.reduce((sum, { result }) => sum + Number(result), 0);
  };

  test('a distributed table', async () => {
    const index = { name: 'task_tried', table: 'task', isUnique: false, definition: '(bucket, total)' };
    await buildIndex(database.sql, index, progress);
    await buildIndex(database.sql, index, progress);
    expect(await isValid('task_tried')).toBe(true);
    expect(await countOnShards('task_tried_%')).toBe(4);
  });

  test('a partitioned one, by two processes at once', async () => {
    const index = { name: 'receipt_tried', table: 'receipt', isUnique: false, definition: '(bucket, task_id, seq)' };
    const second = connectDatabase(database.address, { maxConnections: 1, statementTimeoutMs: 0 });
    await Promise.all([buildIndex(database.sql, index, progress), buildIndex(second, index, progress)]);
    await second.end();
    expect(await isValid('receipt_tried')).toBe(true);
    const [partitions] = await database.sql<{ count: number }[]>`
      select count(*)::int as count from pg_inherits where inhparent = 'receipt'::regclass`;
    expect(await countOnShards('receipt_%_receipt_tried_%')).toBe(4 * (partitions?.count ?? 0));
  });

  test('one that an interrupted build left invalid', async () => {
    const index = { name: 'chunk_tried', table: 'chunk', isUnique: false, definition: '(bucket, firm)' };
    await buildIndex(database.sql, index, progress);
    await database.sql`update pg_index set indisvalid = false where indexrelid = 'chunk_tried'::regclass`;
    await buildIndex(database.sql, index, progress);
    expect(await isValid('chunk_tried')).toBe(true);
    expect(await countOnShards('chunk_tried_%')).toBe(4);
  });

  test('one that an interrupted build left invalid on the coordinator and missing on the workers', async () => {
    const index = {
      name: 'batch_tried',
      table: 'batch',
      isUnique: false,
      definition: '(bucket, first_task_id, batch_id)',
    };
    await buildIndex(database.sql, index, progress);
    // In one transaction of the worker: the shell table there and its shards, and nothing reaches the coordinator.
    await database.sql`
      select result from run_command_on_workers(${`
        do $$ declare found text; begin
          set local citus.enable_ddl_propagation = off;
          set local citus.enable_manual_changes_to_shards = on;
          for found in select indexrelid::regclass::text from pg_index where indexrelid::regclass::text like 'batch_tried%' loop
            execute 'drop index ' || found;
          end loop;
        end $$`})`;
    expect(await countOnShards('batch_tried%')).toBe(0);
    await database.sql`update pg_index set indisvalid = false where indexrelid = 'batch_tried'::regclass`;
    await buildIndex(database.sql, index, progress);
    expect(await isValid('batch_tried')).toBe(true);
    expect(await countOnShards('batch_tried_%')).toBe(4);
  });
});
