import type { AnySql, Sql } from '../sql.js';
import { countBuckets } from './distribution.js';
import { DISTRIBUTED, ON_COORDINATOR, REFERENCE, WITHOUT_CUSTOMER } from './tables.js';

export type Say = (line: string) => void;

/**
 * Moves every table to its place on the cluster, in one transaction each. Tables that are in place are skipped, so that the next run
 * continues an interrupted one. Rows move to the bucket of their customer.
 */
export async function placeTables(sql: Sql, say: Say): Promise<void> {
  const shards = await countBuckets(sql);
  const placed = await readPlaced(sql);
  const missing = <Name extends string>(names: readonly Name[]) => names.filter((name) => !placed.has(name));
  const [reference, distributed, onCoordinator] = [missing(REFERENCE), missing(DISTRIBUTED), missing(ON_COORDINATOR)];
  const total = reference.length + distributed.length + onCoordinator.length;
  let done = 0;
  const place = async (table: string, how: string, put: (tx: AnySql) => Promise<unknown>) => {
    // Another process that starts on this release may have been first.
    await sql.begin(put).catch(async (error: unknown) => {
      if (!(await readPlaced(sql)).has(table)) throw error;
    });
    done += 1;
    say(`${done}/${total} ${table}: ${how}`);
  };
  for (const table of reference) {
    await place(table, 'a copy on every machine', (tx) => tx`select create_reference_table(${table})`);
  }
  for (const table of onCoordinator) {
    await place(table, 'on the coordinator', (tx) => tx`select citus_add_local_table_to_metadata(${table})`);
  }
  for (const table of distributed) {
    await place(table, 'spread by bucket', (tx) => spread(tx, table, shards));
  }
}

/** The rows of a table go to their customers' buckets while it is still in one place: a key cannot change afterwards. */
async function spread(tx: AnySql, table: string, shards: number): Promise<void> {
  // Concurrent processes wait for each other here; further on they would deadlock.
  await tx`lock table ${tx(table)} in access exclusive mode`;
  if (!WITHOUT_CUSTOMER.has(table)) {
    await tx`
      update ${tx(table)} as row set bucket = customer.bucket from customer
      where customer.customer_id = row.customer_id and row.bucket <> customer.bucket`;
  }
  await tx.unsafe(`set local citus.shard_count = ${shards}`);
  const [sibling] = await tx<{ table: string }[]>`
    select logicalrelid::text as "table" from pg_dist_partition where partmethod = 'h' limit 1`;
  await tx`select create_distributed_table(${table}, 'bucket', colocate_with => ${sibling?.table ?? 'none'})`;
  // The rows were copied; the originals on the coordinator are invisible and use disk space.
  await tx`select truncate_local_data_after_distributing_table(${table})`;
}

async function readPlaced(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql<{ table: string }[]>`select logicalrelid::text as "table" from pg_dist_partition`;
  return new Set(rows.map(({ table }) => table));
}
