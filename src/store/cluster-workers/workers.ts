// Routes the transactions of a bucket to the worker that holds it. Citus keeps its metadata on every machine, so a worker plans and runs
// the statements of its buckets without the coordinator, and passes on those of a bucket that has moved away.
//
// The worker that a bucket is being moved to must not be asked: a statement waits there for the end of the move, and then reads the shard
// with a snapshot from before the move, in which it is empty. So a worker is used only for buckets that it holds by its own catalogue, not
// already by that of the coordinator.

import type { Log } from '../../domain/log.js';
import { routeBuckets } from '../cluster/distribution.js';
import { readWorkers } from '../cluster/placement.js';
import type { ConnectOptions, DatabaseAddress } from '../connect.js';
import { parseDatabaseUrl } from '../connection/database-url.js';
import { isDatabaseAway, isOfOtherMachine } from '../retry.js';
import type { Sql } from '../sql.js';
import { connectWorker, type WorkerPool } from './worker-pool.js';

export interface ClusterWorkersOptions {
  /** The pool to the coordinator. */
  readonly sql: Sql;
  readonly address: DatabaseAddress;
  /** `host:port` in the catalogue, to `host:port` as it is reached from here. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly connect: ConnectOptions;
  readonly log: Log;
}

export interface ClusterWorkers {
  /** `host:port` in the catalogue of the worker that gets the transactions of a bucket; undefined: the coordinator gets them. */
  workerOf(bucket: number): string | undefined;
  stop(): Promise<void>;
}

const LOOK_MS = 1000;
/**
 * A process without the coordinator does not learn of changes to the configuration, such as a price or a suspended customer. So it does
 * not write on the workers either.
 */
const MAX_AGE_MS = 5000;

export async function startClusterWorkers(options: ClusterWorkersOptions): Promise<ClusterWorkers> {
  const { sql, connect, log } = options;
  const pools = new Map<string, WorkerPool>();
  let workers: ReadonlyMap<number, string> = new Map();
  let validUntilMs = 0;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** A worker that no longer holds a bucket keeps its pool, which transactions under way may still use. */
  const poolOf = (name: string): WorkerPool => {
    const known = pools.get(name);
    if (known !== undefined) return known;
    const address = replaceHost(options.address, options.addresses.get(name) ?? name);
    const pool = connectWorker({ name, address, connect, log, onLost: () => lookAfter(0) });
    pools.set(name, pool);
    return pool;
  };

  const look = async (): Promise<void> => {
    const startedMs = performance.now();
    workers = await readWorkers(sql);
    validUntilMs = startedMs + MAX_AGE_MS;
    await Promise.all([...new Set(workers.values())].map((name) => poolOf(name).probe()));
  };

  const lookAndSchedule = async (): Promise<void> => {
    const onFailure = (): void => {
      validUntilMs = 0;
    };
    looking ??= look()
      .catch(onFailure)
      .finally(() => {
        looking = undefined;
        lookAfter(LOOK_MS);
      });
    await looking;
  };

  const lookAfter = (ms: number): void => {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(lookAndSchedule, ms).unref();
  };

  const workerOf = (bucket: number): string | undefined => {
    const name = performance.now() < validUntilMs ? workers.get(bucket) : undefined;
    return name !== undefined && pools.get(name)?.serves(bucket) ? name : undefined;
  };

  await lookAndSchedule();
  sql.options.onfault = (error) => {
    if (!isDatabaseAway(error) || isOfOtherMachine(error)) return;
    validUntilMs = 0;
    lookAfter(0);
  };
  routeBuckets(sql, (bucket) => pools.get(workerOf(bucket) ?? '')?.sqlOf(bucket));
  return {
    workerOf,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },
  };
}

/** The same user, password, database and options. The catalogue names servers, not a pooler in front of them. */
function replaceHost(coordinator: DatabaseAddress, worker: string): DatabaseAddress {
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(worker) ?? [];
  if (typeof coordinator !== 'string') return { ...coordinator, host, port: Number(port) };
  const { url } = parseDatabaseUrl(coordinator);
  url.searchParams.delete('host');
  url.searchParams.delete('pgbouncer');
  url.hostname = host.includes(':') ? `[${host}]` : host;
  url.port = port;
  return url.href;
}
