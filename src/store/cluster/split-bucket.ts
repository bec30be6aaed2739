// Splits the shards of a bucket, which has one range of hashes for all its tables, so that there is room for one bucket more. The rows keep
// their bucket; the new bucket is empty.
//
// The rows go to another worker, as in a move. On the worker where they were, a statement that Citus plans there may have waited for the end
// of the split with a snapshot from before it: the new shard would be empty for it, and an update that changes no row would be acknowledged.
// Where the new shard is on another machine, the statement is passed on, and gets a snapshot there.

import { numericArray, textArray } from '../array-literal.js';
import type { AnySql, Sql } from '../sql.js';
import type { Bucket, Worker } from './buckets.js';
import { type MoveOptions, type MoveProgress, runInSession } from './move-bucket.js';

export interface Split {
  readonly bucket: Bucket;
  /** The number of the new bucket. */
  readonly added: number;
  /** The last hash of the lower part. */
  readonly point: number;
  readonly isAddedAbove: boolean;
}

export interface SplitPlaces {
  /** Of the bucket with its rows; never where it is. */
  readonly rows: Worker;
  /** Of the new bucket. */
  readonly added: Worker;
}

/** Halves the range of the bucket. Undefined where no number of a bucket falls into the half without it. */
export async function planSplit(coordinator: AnySql, bucket: Bucket): Promise<Split | undefined> {
  const [range] = await coordinator<{ low: number; high: number; hash: number }[]>`
    select shardminvalue::int as low, shardmaxvalue::int as high, worker_hash(${bucket.bucket}::smallint) as hash
    from pg_dist_shard where shardid = ${bucket.shardId}`;
  if (range === undefined) return undefined;
  const { low, high, hash } = range;
  const point = low + Math.floor((high - low) / 2);
  const isAddedAbove = hash <= point;
  const [from, to] = isAddedAbove ? [point + 1, high] : [low, point];
  const [found] = await coordinator<{ added: number | null }[]>`
    select min(number) as added from generate_series(0, 32767) as number
    where worker_hash(number::smallint)::bigint between ${from}::bigint and ${to}::bigint`;
  const added = found?.added ?? undefined;
  return added === undefined ? undefined : { bucket, added, point, isAddedAbove };
}

/**
 * Chooses the workers that are not given: those with the fewest buckets. Undefined where there is no other worker for the rows.
 */
export function choosePlaces(
  { worker: present }: Bucket,
  buckets: readonly Bucket[],
  workers: readonly Worker[],
  wanted: Partial<SplitPlaces>,
): SplitPlaces | undefined {
  const isSame = (one: Worker, other: Worker) => one.host === other.host && one.port === other.port;
  const fewest = (among: readonly Worker[], after: Worker | undefined): Worker | undefined => {
    const count = (worker: Worker) =>
      buckets.filter((one) => isSame(one.worker, worker)).length +
      (after !== undefined && isSame(after, worker) ? 1 : 0) -
      (after !== undefined && isSame(present, worker) ? 1 : 0);
    return among.toSorted((one, other) => count(one) - count(other))[0];
  };
  const others = workers.filter((worker) => !isSame(worker, present));
  const rows = wanted.rows ?? fewest(others, wanted.added);
  const added = wanted.added ?? fewest(workers, rows);
  return rows === undefined || added === undefined ? undefined : { rows, added };
}

export interface SplitOptions extends MoveOptions {
  /** Writes of the bucket wait from the start. Otherwise it is done by logical replication, and they wait at the end alone. */
  readonly isBlocking: boolean;
}

/**
 * All tables and their partitions at once, in one transaction with the entry of the new bucket, so that a split that fails or is interrupted
 * changes nothing. Needs a pool of three.
 */
export async function splitBucket(
  coordinator: Sql,
  { bucket, added, point, isAddedAbove }: Split,
  places: SplitPlaces,
  { isBlocking, ...options }: SplitOptions,
): Promise<void> {
  const rows = await readNode(coordinator, places.rows);
  const other = await readNode(coordinator, places.added);
  const nodes = isAddedAbove ? [rows.id, other.id] : [other.id, rows.id];
  const [last] = await coordinator<{ record: bigint }[]>`
    select coalesce(max(record_id), 0)::bigint as record from pg_dist_cleanup`;
  const split = async (session: AnySql): Promise<void> => {
    await session`begin`;
    try {
      // The type of the mode is not named, as only a superuser may.
      await session`
        select citus_split_shard_by_split_points(${bucket.shardId}, ${textArray([String(point)])}::text[],
          ${numericArray(nodes)}::int[] ${isBlocking ? session`, 'block_writes'` : session``})`;
      await session`insert into bucket (bucket) values (${added})`;
      await session`commit`;
    } catch (error) {
      await session`rollback`.catch(() => {});
      throw error;
    }
  };
  const look = () => readSplitProgress(coordinator, rows, bucket.bytes, last?.record ?? 0n);
  await runInSession(coordinator, split, look, options);
}

interface Node extends Worker {
  readonly id: number;
  readonly group: number;
}

async function readNode(coordinator: Sql, { host, port }: Worker): Promise<Node> {
  const [node] = await coordinator<{ id: number; group: number }[]>`
    select nodeid as id, groupid as "group" from pg_dist_node
    where nodename = ${host} and nodeport = ${port} and noderole = 'primary'`;
  if (node === undefined) throw new Error(`the cluster has no worker ${host}:${port} any more`);
  return { ...node, host, port };
}

/** The number of `CLEANUP_OBJECT_SHARD_PLACEMENT` in the catalogue. */
const SHARD = 1;
/** The number of `CLEANUP_ON_FAILURE`: what a split has made so far. */
const ON_FAILURE = 1;

/** The cluster has no figures of a split. It notes the shards that it makes, so that it can drop them; their size is what is copied. */
async function readSplitProgress(
  coordinator: Sql,
  { host, port, group }: Node,
  totalBytes: number | null,
  after: bigint,
): Promise<MoveProgress | undefined> {
  const made = await coordinator<{ name: string }[]>`
    select object_name as name from pg_dist_cleanup where record_id > ${after} and object_type = ${SHARD}
      and policy_type = ${ON_FAILURE} and node_group_id = ${group}`;
  if (made.length === 0 || totalBytes === null) return undefined;
  const names = textArray(made.map(({ name }) => name)).replaceAll("'", "''");
  const [size] = await coordinator<{ copied: bigint | null }[]>`
    select result::bigint as copied from run_command_on_workers(${`
      select coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::bigint from unnest('${names}'::text[]) as name`})
    where nodename = ${host} and nodeport = ${port} and success`;
  return { copiedBytes: Math.min(Number(size?.copied ?? 0n), totalBytes), totalBytes, step: null };
}

/** The server refuses the decoder of Citus, which a split by logical replication needs. */
export function isDecoderRefused(error: unknown): boolean {
  return error instanceof Error && error.message.includes('library "citus" may not be used as an output plugin');
}

const INSUFFICIENT_PRIVILEGE = '42501';

/** The user does not own the tables. */
export function isSplitForbidden(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === INSUFFICIENT_PRIVILEGE;
}
