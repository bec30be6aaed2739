// Runs the statements of a bucket on its shards, on the worker that holds them.
//
// A shard that has moved stays behind for a while: what is read there is old, and what is written there is lost. So every transaction begins
// with the lock that a move takes exclusively on all machines before it copies the last rows, and keeps until its commit there; and then sees,
// with a snapshot from after it, that the shard is still here. A write outside of a transaction becomes one; a read sees by its own snapshot
// whether the shard is here.

import type { Interceptor, Query, TransactionSql } from '../driver/index.js';
import { noteMachineError } from '../retry.js';
import type { AnySql, Sql, Statement } from '../sql.js';
import { markDistributed, markOnShards } from './distribution.js';
import { kindOf, nameShards, type ShardNames } from './name-shards.js';

export interface BucketShards {
  readonly bucket: number;
  /** The shard of `account`. All shards of a bucket have the same lock, and move together. */
  readonly shardId: bigint;
  readonly names: ShardNames;
}

/** A retry routes the bucket again, as after the loss of a machine. */
export class BucketMovedError extends Error {
  override readonly name = 'BucketMovedError';
  readonly code = '57P03';

  constructor(bucket: number) {
    super(`bucket ${bucket} has moved to another machine`);
    noteMachineError(this);
  }
}

/** It needs `spanningSql`. */
class NotOnShardsError extends Error {
  override readonly name = 'NotOnShardsError';
  override readonly message = 'a transaction on the shards of a bucket cannot write a table that has none';
}

/** The number of PostgreSQL's lock mode `ShareLock`. */
const SHARE = 5;
/** The machine's own numbers begin at 1. */
const FIRST_NUMBER = 2n ** 48n;
const DIVISION_BY_ZERO = '22012';
/** No statement of ours takes a root. */
const ROOT_OF_NEGATIVE = '2201F';

type Begin = (...args: unknown[]) => Promise<unknown>;

let lastKey = 0;

/** A pool to the worker, for one of its buckets. Calls `onMoved` when the bucket is no longer there. */
export function createShardSql(pool: Sql, shards: BucketShards, onMoved: () => void): Sql {
  lastKey += 1;
  const key = `${lastKey} `;
  const { names } = shards;
  /** Whether a statement names shards only. */
  const known = new Map<string, boolean>();
  const sendRenamed: Interceptor = (query, send) => {
    rewrite(query, key, (text) => nameShards(text, names) ?? text);
    send(query);
  };

  const beginOnShards: Begin = async (...args) => {
    const run = args.pop() as (tx: TransactionSql) => unknown;
    // With another isolation level the snapshot would be from before the lock. The cluster plans these.
    if (args.length > 0) return await (pool.begin as Begin)(...args, run);
    let guard: Promise<void> = Promise.resolve();
    const done = pool.begin('isolation level read committed', (planned) => {
      guard = lockShards(planned, shards);
      // Awaited below. Without a handler until then, a failure would end the process.
      guard.catch(() => {});
      const tx = planned.intercept((query, send) => {
        if (kindOf(textOf(query)).writesWithoutShards) throw new NotOnShardsError();
        sendRenamed(query, send);
      });
      markOnShards(tx, pool);
      return run(tx);
    });
    try {
      const result = await done;
      await guard;
      return result;
    } catch (error) {
      // The statements after the guard have failed because of it.
      const fault = await guard.catch((reason: unknown) => reason);
      if (!(fault instanceof BucketMovedError)) throw error;
      onMoved();
      throw fault;
    }
  };

  const sendInTransaction = (query: Query): void => {
    const resolve = query.resolve.bind(query);
    const reject = query.reject.bind(query);
    beginOnShards((tx: TransactionSql) => sendWithin(tx, query)).then(resolve, reject);
  };

  const sendRead: Interceptor = (query, send) => {
    const reject = query.reject.bind(query);
    query.reject = (error) => {
      const isMoved = (error as { code?: unknown }).code === ROOT_OF_NEGATIVE;
      if (isMoved) onMoved();
      reject(isMoved ? new BucketMovedError(shards.bucket) : error);
    };
    rewrite(query, `${key}read `, (text) => readIfHeld(nameShards(text, names) ?? text, shards));
    send(query);
  };

  const onShards = pool.intercept((query, send) => {
    const text = textOf(query);
    const isOnShards = known.get(text) ?? nameShards(text, names) !== undefined;
    known.set(text, isOnShards);
    // Planned by the cluster, which finds the machine.
    if (!isOnShards) send(query);
    else if (kindOf(text).isRead) sendRead(query, send);
    else sendInTransaction(query);
  });
  const sql = Object.assign(onShards, { begin: beginOnShards });
  markDistributed(sql);
  markOnShards(sql, pool);
  return sql;
}

/**
 * For reads of tables that the coordinator alone holds: each has one shard, which does not move. Citus takes several times as long as
 * PostgreSQL to plan such a read.
 */
export function createCoordinatorShardSql(coordinator: Sql, names: ShardNames): Sql {
  lastKey += 1;
  const key = `${lastKey} `;
  return coordinator.intercept((query, send) => {
    rewrite(query, key, (text) => nameShards(text, names) ?? text);
    send(query);
  });
}

/**
 * For the rest of a transaction. Its statements look rows up by their keys, and each connection plans each of them anew for each bucket, soon
 * after the tables were empty: so a plan is made once, without looking at the values, and reads no table as a whole.
 */
export function planByKeys(tx: AnySql): Statement {
  return tx`set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`;
}

/**
 * Sent at once, before all others, and not waited for: if the bucket has moved, the second statement fails, and all that follow it in the
 * transaction. The cluster looks for transactions that wait for each other by the number of each, and takes those of a machine without a
 * number for one: a move that waits for one of ours, while another one waits for the move, would be ended.
 */
async function lockShards(tx: AnySql, { bucket, shardId }: BucketShards): Promise<void> {
  const lock = tx`
    select assign_distributed_transaction_id(groupid, ${FIRST_NUMBER}::bigint + pg_backend_pid(), now()),
      lock_shard_metadata(${SHARE}, array[${shardId}::bigint]),
      ${planByKeys(tx)}
    from pg_dist_local_group`.execute();
  const look = tx`
    select 1 / count(*) as held from pg_dist_placement
    where shardid = ${shardId} and groupid = (select groupid from pg_dist_local_group)`.execute();
  await Promise.all([lock, look]).catch((error: unknown) => {
    throw (error as { code?: unknown }).code === DIVISION_BY_ZERO ? new BucketMovedError(bucket) : error;
  });
}

/**
 * A read alone needs no lock: it sees with one snapshot that the shard is here, and what is in it. At the moment of a move it may see what
 * was there just before, as where the cluster plans it. The check is made once, before anything is read.
 */
function readIfHeld(text: string, { shardId }: BucketShards): string {
  return `select * from (${text}
    ) as held where (select sqrt(count(*) - 1) from pg_dist_placement
      where shardid = ${shardId} and groupid = (select groupid from pg_dist_local_group)) = 0`;
}

/** Buckets share connections, so what one has prepared is known by its bucket and its text. */
function rewrite(query: Query, key: string, text: (text: string) => string): void {
  query.rewrittenFor = key;
  query.rewrite = text;
}

/**
 * Resolves with the rows of a query of another handle, of which its caller does not know yet. Statements are sent a microtask after they were
 * asked for, and so is this one: the lock of the shards is asked for before it, and must be sent before it.
 */
function sendWithin(tx: TransactionSql, query: Query): Promise<unknown> {
  return new Promise((resolve, reject) => {
    Object.assign(query, { resolve, reject });
    queueMicrotask(() => tx.send(query));
  });
}

/** The text of a query that has not been sent, with its fragments, and without its values. */
function textOf({ strings, args }: Pick<Query, 'strings' | 'args'>): string {
  return strings.map((text, at) => text + (at < args.length ? textOfValue(args[at]) : '')).join('');
}

function textOfValue(value: unknown): string {
  const isFragment = value instanceof Promise && 'strings' in value;
  return isFragment ? textOf(value as unknown as Query) : '$1';
}
