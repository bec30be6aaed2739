// The connections to one worker of a cluster, and whether it can be used now.

import type { Log } from '../../domain/log.js';
import { markDistributed } from '../cluster/distribution.js';
import { readHeldBuckets } from '../cluster/placement.js';
import { type ConnectOptions, connectDatabase, type DatabaseAddress } from '../connect.js';
import { createDatabaseProbe } from '../probe.js';
import { isDatabaseAway, isOfOtherMachine, noteMachineError } from '../retry.js';
import type { Sql } from '../sql.js';
import { onPoolFault } from '../transaction-fence.js';

export interface WorkerPoolOptions {
  /** `host:port` in the catalogue. */
  readonly name: string;
  readonly address: DatabaseAddress;
  readonly connect: ConnectOptions;
  readonly log: Log;
  /** A connection was lost, or a machine did not answer this one. */
  readonly onLost: () => void;
}

export interface WorkerPool {
  readonly sql: Sql;
  /** Whether it answered the last probe, no connection was lost since, and its own catalogue says that it holds the bucket. */
  serves(bucket: number): boolean;
  probe(): Promise<void>;
  end(): Promise<void>;
}

export function connectWorker({ name, address, connect, log, onLost }: WorkerPoolOptions): WorkerPool {
  const sql = connectDatabase(address, connect);
  markDistributed(sql);
  // Its own connection, so that a busy pool does not count as an unreachable worker.
  const probeSql = connectDatabase(address, { maxConnections: 1, isKeptOpen: true });
  let held: ReadonlySet<number> = new Set();
  /** Undefined before the first probe. */
  let isReached: boolean | undefined;
  let lastError: unknown;

  const setReached = (now: boolean): void => {
    if (isReached === now) return;
    isReached = now;
    if (now) log.info({ worker: name }, 'transactions of its buckets go to this worker of the cluster');
    else log.warn({ worker: name, err: lastError }, 'a worker cannot be reached: its buckets use the coordinator');
  };

  const probe = createDatabaseProbe(probeSql, async () => {
    lastError = undefined;
    held = await readHeldBuckets(probeSql).catch((error: unknown) => {
      lastError = error;
      throw error;
    });
  });

  onPoolFault(sql, (error) => {
    if (!isDatabaseAway(error)) return;
    if (!isOfOtherMachine(error)) {
      noteMachineError(error as object);
      lastError = error;
      setReached(false);
    }
    onLost();
  });

  return {
    sql,
    serves: (bucket) => isReached === true && held.has(bucket),
    probe: async () => setReached(await probe()),
    async end() {
      await Promise.all([sql, probeSql].map((pool) => pool.end({ timeout: 5 })));
    },
  };
}
