// The connections to one worker of a cluster, and whether it can be used now.

import type { Log } from '../../domain/log.js';
import { markDistributed } from '../cluster/distribution.js';
import { readBucketShards, readHeldBuckets } from '../cluster/placement.js';
import { type BucketShards, createShardSql } from '../cluster/shard-sql.js';
import { type ConnectOptions, connectDatabase, type DatabaseAddress } from '../connect.js';
import { createDatabaseProbe } from '../probe.js';
import { isDatabaseAway, isOfOtherMachine, noteMachineError } from '../retry.js';
import type { Sql } from '../sql.js';

export interface WorkerPoolOptions {
  /** `host:port` in the catalogue. */
  readonly name: string;
  readonly address: DatabaseAddress;
  readonly connect: ConnectOptions;
  readonly log: Log;
  /** A connection was lost, or a machine did not answer this one. */
  readonly onLost: () => void;
}

interface KnownShards {
  readonly text: string;
  readonly sql: Sql;
}

export interface WorkerPool {
  /** For statements of a bucket that it serves, on its shards. */
  sqlOf(bucket: number): Sql;
  /** Whether it answered the last probe, no connection was lost since, and its own catalogue says that it holds the bucket. */
  serves(bucket: number): boolean;
  probe(): Promise<void>;
  end(): Promise<void>;
}

/**
 * A connection plans each statement anew for each bucket that it is used for, so every bucket has a pool of few connections. Where a worker
 * holds more buckets than usual, they share the pools.
 */
const POOLS = 4;
const CONNECTIONS = 4;

export function connectWorker({ name, address, connect, log, onLost }: WorkerPoolOptions): WorkerPool {
  const pools: Sql[] = [];
  const poolOfBucket = new Map<number, Sql>();
  // Its own connection, so that a busy pool does not count as an unreachable worker.
  const probeSql = connectDatabase(address, { maxConnections: 1, isKeptOpen: true });
  let held: ReadonlySet<number> = new Set();
  let shards: ReadonlyMap<number, KnownShards> = new Map();
  let stamp = '';
  /** Undefined before the first probe. */
  let isReached: boolean | undefined;
  let lastError: unknown;

  const setReached = (now: boolean): void => {
    if (isReached === now) return;
    isReached = now;
    if (now) log.info({ worker: name }, 'transactions of its buckets go to this worker of the cluster');
    else log.warn({ worker: name, err: lastError }, 'a worker cannot be reached: its buckets use the coordinator');
  };

  const onFault = (error: unknown): void => {
    if (!isDatabaseAway(error)) return;
    if (!isOfOtherMachine(error)) {
      noteMachineError(error as object);
      lastError = error;
      setReached(false);
    }
    onLost();
  };

  /** Connects when it is first used. */
  const createPool = (): Sql => {
    const pool = connectDatabase(address, {
      ...connect,
      maxConnections: Math.min(connect.maxConnections ?? CONNECTIONS, CONNECTIONS),
      settings: { 'citus.enable_manual_changes_to_shards': 'on' },
    });
    markDistributed(pool);
    pool.options.onfault = onFault;
    pools.push(pool);
    return pool;
  };

  const poolOf = (bucket: number): Sql => {
    const own = poolOfBucket.get(bucket) ?? pools[poolOfBucket.size % POOLS] ?? createPool();
    poolOfBucket.set(bucket, own);
    return own;
  };

  const look = async (): Promise<void> => {
    const found = await readHeldBuckets(probeSql);
    if (found.stamp !== stamp) {
      shards = new Map((await readShards()).map((own) => [own.bucket, knowShards(own)]));
      stamp = found.stamp;
    }
    held = found.buckets;
  };

  const readShards = (): Promise<BucketShards[]> =>
    readBucketShards(probeSql).catch((error: unknown) => {
      if (isDatabaseAway(error)) throw error;
      log.warn(
        { worker: name, err: error },
        'statements cannot run on the shards: the cluster plans them, which is slower',
      );
      return [];
    });

  /** Prepared statements stay in use as long as the shards are the same. */
  const knowShards = (own: BucketShards): KnownShards => {
    const known = shards.get(own.bucket);
    const text = [own.shardId, ...own.names].join();
    if (known?.text === text) return known;
    const onMoved = (): void => {
      held = new Set([...held].filter((bucket) => bucket !== own.bucket));
      onLost();
    };
    return { text, sql: createShardSql(poolOf(own.bucket), own, onMoved) };
  };

  const probe = createDatabaseProbe(probeSql, async () => {
    lastError = undefined;
    await look().catch((error: unknown) => {
      lastError = error;
      throw error;
    });
  });

  return {
    sqlOf: (bucket) => shards.get(bucket)?.sql ?? poolOf(bucket),
    serves: (bucket) => isReached === true && held.has(bucket),
    probe: async () => setReached(await probe()),
    async end() {
      await Promise.all([...pools, probeSql].map((pool) => pool.end({ timeout: 5 })));
    },
  };
}
