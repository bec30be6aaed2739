import { setTimeout as sleep } from 'node:timers/promises';
import type { AnySql, Sql } from '../sql.js';
import type { Bucket, Worker } from './buckets.js';

export interface MoveProgress {
  /** Null until the cluster says so, and where it does not answer. */
  readonly copiedBytes: number | null;
  readonly totalBytes: number | null;
  /** The cluster's own word for what it does, such as `Copying Data`. */
  readonly step: string | null;
}

const POLL_MS = 1_000;
/** After this, the server ends a move whose client is gone. */
const CLIENT_CHECK_MS = 2_000;

/** Whether a bucket is being moved in this database, by any process, or a rebalance has moves left. */
export async function isMoveUnderWay(coordinator: Sql): Promise<boolean> {
  const rows = await coordinator`
    select 1 as one from get_rebalance_progress() as move
      join pg_stat_activity as session on session.pid = move.sessionid and session.datname = current_database()
    union all
    select 1 from pg_dist_background_job
      where job_type = 'rebalance' and state in ('scheduled', 'running', 'cancelling', 'failing')
    limit 1`;
  return rows.length > 0;
}

/** A move or split is under way that had not been seen, and this one came second. */
export function isMoveRefusedForAnother(error: unknown): boolean {
  return error instanceof Error && /^could not acquire the lock required to (move|split) /.test(error.message);
}

export interface MoveOptions {
  readonly signal: AbortSignal;
  onProgress(progress: MoveProgress): Promise<void>;
}

/**
 * Moves a bucket with all its tables, by logical replication: rows are copied while they are written, and writes wait at the end
 * alone. It is one transaction, so that a move that fails or is interrupted leaves the bucket where it was. Needs a pool of three.
 */
export async function moveBucket(
  coordinator: Sql,
  { shardId, worker: from }: Bucket,
  to: Worker,
  options: MoveOptions,
): Promise<void> {
  // Without the mode, whose type only a superuser may name: by default it is the one of the rebalancer.
  const move = (session: AnySql) => session`
    select citus_move_shard_placement(${shardId}, ${from.host}, ${from.port}, ${to.host}, ${to.port})`;
  await runInSession(coordinator, move, (pid) => readProgress(coordinator, pid), options);
}

/** Runs long work on the coordinator in a separate session, which ends with this process, and reports its progress each second. */
export async function runInSession(
  coordinator: Sql,
  run: (session: AnySql) => PromiseLike<unknown>,
  look: (pid: number) => Promise<MoveProgress | undefined>,
  { signal, onProgress }: MoveOptions,
): Promise<void> {
  const session = await coordinator.reserve();
  const ended = new AbortController();
  let reporting: Promise<void> | undefined;
  let cancelling: Promise<unknown> | undefined;
  try {
    await session`select set_config('client_connection_check_interval', ${String(CLIENT_CHECK_MS)}, false)`;
    const [own] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const pid = own?.pid ?? 0;
    signal.throwIfAborted();
    const cancel = () => {
      cancelling ??= cancelUntil(coordinator, pid, ended.signal);
    };
    signal.addEventListener('abort', cancel, { once: true });
    reporting = report(() => look(pid), ended.signal, onProgress);
    try {
      await run(session);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  } finally {
    ended.abort();
    await Promise.all([reporting, cancelling]);
    session.release();
  }
}

/** Repeated, because a session that has not begun its statement yet is not stopped by it. */
async function cancelUntil(coordinator: Sql, pid: number, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await coordinator`select pg_cancel_backend(${pid}::int)`.catch(() => {});
    await sleep(POLL_MS, undefined, { signal: ended }).catch(() => {});
  }
}

async function report(
  look: () => Promise<MoveProgress | undefined>,
  ended: AbortSignal,
  onProgress: MoveOptions['onProgress'],
): Promise<void> {
  let last: MoveProgress = { copiedBytes: null, totalBytes: null, step: null };
  while (!ended.aborted) {
    last = (await look().catch(() => undefined)) ?? last;
    if (!ended.aborted) await onProgress(last);
    await sleep(POLL_MS, undefined, { signal: ended }).catch(() => {});
  }
}

async function readProgress(coordinator: Sql, pid: number): Promise<MoveProgress | undefined> {
  const [row] = await coordinator<{ copied: bigint | null; total: bigint | null; step: string | null }[]>`
    select sum(target_shard_size)::bigint as copied, sum(source_shard_size)::bigint as total, min(status) as step
    from get_rebalance_progress() where sessionid = ${pid}`;
  if (row === undefined || row.total === null) return undefined;
  const totalBytes = Number(row.total);
  return { copiedBytes: Math.min(Number(row.copied ?? 0n), totalBytes), totalBytes, step: row.step };
}

/** The remains of an interrupted move or split. The cluster removes them, too, a little later. */
export async function cleanUpAfterMove(coordinator: Sql): Promise<void> {
  await coordinator`call citus_cleanup_orphaned_resources()`.catch(() => {});
}
