import type { Sql } from '../sql.js';
import { countBuckets, hasCitus } from './distribution.js';
import { placeTables, type Say } from './place-tables.js';

export class CannotDistributeError extends Error {
  override readonly name = 'CannotDistributeError';
}

/** Enough to move one of them, few enough for large batches. */
const BUCKETS_A_WORKER = 2;
/** More than the command takes would be of no use. */
const MAX_BUCKETS = 256;

/**
 * Spreads the tables over the machines of the cluster whose coordinator this is: a bucket a shard, every customer in one of
 * them. May be run again, also after it was interrupted.
 */
export async function distribute(sql: Sql, options: { readonly shards?: number; readonly say: Say }): Promise<void> {
  const { say } = options;
  const workers = await checkCluster(sql);
  await checkNoServiceRuns(sql);
  const begunWith = await countBuckets(sql);
  if (begunWith === 1) {
    const shards = options.shards ?? Math.min(BUCKETS_A_WORKER * workers, MAX_BUCKETS);
    const customers = await assignBuckets(sql, shards);
    say(`${shards} buckets, one a shard; ${customers} customers belong to them`);
  } else if (options.shards !== undefined && options.shards !== begunWith) {
    throw new CannotDistributeError(
      `The database was spread over ${begunWith} shards, and stays so. Leave out --shards.`,
    );
  }
  await placeTables(sql, say);
}

/** Returns how many machines take shards. */
async function checkCluster(sql: Sql): Promise<number> {
  if (!(await hasCitus(sql))) {
    throw new CannotDistributeError(
      'This database has no Citus extension. On the coordinator: create extension citus, then add its workers ' +
        '(docs/guides/many-machines.md).',
    );
  }
  const [workers] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_dist_node where noderole = 'primary' and shouldhaveshards`;
  if (workers !== undefined && workers.count > 0) return workers.count;
  throw new CannotDistributeError(
    "The cluster has no machine for the tables. Add its workers first: select citus_add_node('host', 5432).",
  );
}

async function checkNoServiceRuns(sql: Sql): Promise<void> {
  const [busy] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'postrider'`;
  if ((busy?.count ?? 0) === 0) return;
  throw new CannotDistributeError(
    `A service is running on this database (${busy?.count} connections). Stop all its processes, and run this again.`,
  );
}

/**
 * Chooses bucket numbers such that each is in a different shard, and assigns one to every customer, spreading those with the longest
 * histories. From here on no service starts on the database until the distribution is complete.
 */
async function assignBuckets(sql: Sql, shards: number): Promise<number> {
  return await sql.begin(async (tx) => {
    await tx`delete from bucket`;
    await tx`
      insert into bucket
      select min(number) from (
        select number, least(${shards} - 1, (worker_hash(number::smallint)::bigint + 2147483648) / (4294967296 / ${shards}::bigint)) as shard
        from generate_series(0, 32767) as number
      ) as numbers group by shard`;
    const [made] = await tx<{ count: number }[]>`select count(*)::int as count from bucket`;
    if (made?.count !== shards) throw new CannotDistributeError(`There are no bucket numbers for ${shards} shards.`);
    const moved = await tx`
      with place as (
        select bucket, row_number() over (order by bucket) - 1 as at from bucket
      ), ranked as (
        select customer_id, row_number() over (order by entry_seq desc, customer_id) - 1 as at from account
      )
      update customer set bucket = place.bucket from place join ranked on ranked.at % ${shards} = place.at
      where customer.customer_id = ranked.customer_id`;
    return moved.count;
  });
}
