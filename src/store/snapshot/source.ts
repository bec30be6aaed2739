// Keeps the small tables in memory, so that accepting a request asks the database nothing. A node looks at one version
// number every second and reads only the rows that changed; writers raise that number in the transaction of the change
// and wait for each other on its row, so versions become visible in order and none can be skipped.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../domain/log.js';
import type { Sealer } from '../secrets/seal.js';
import { shareRuns } from '../share-runs.js';
import type { Sql } from '../sql.js';
import { type RowsRead, readChangedRows, readConfigVersion, type TraitsOf } from './rows.js';
import type { Snapshot } from './snapshot.js';
import { createSnapshotView, type SnapshotView } from './view.js';

export interface SnapshotOptions {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly traitsOf: TraitsOf;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** A change must be seen within two seconds everywhere, so this stays well below. */
  readonly pollMs?: number;
}

export interface SnapshotSource {
  /** The live state: the same object always, changed in place by a refresh. */
  current(): Snapshot;
  /** Resolves when everything committed before the call is in the snapshot. Rejects when the database is away. */
  refresh(): Promise<void>;
  /**
   * The same promise as `refresh`, at a bounded cost: for callers that missed something and are about to say that it
   * does not exist. All of them together ask the database at most every 100 ms, and wait for it that long.
   */
  refreshIfStale(): Promise<void>;
  /** Calls the listener after each change that was taken in; the returned function ends that. */
  onChange(listener: () => void): () => void;
  stop(): Promise<void>;
}

const DEFAULT_POLL_MS = 1000;
const MIN_MISS_INTERVAL_MS = 100;

/** Resolves when the first state is read. */
export async function startSnapshot(options: SnapshotOptions): Promise<SnapshotSource> {
  const { sql, sealer, traitsOf, log, pollMs = DEFAULT_POLL_MS } = options;
  const view = createSnapshotView();
  const listeners = new Set<() => void>();
  const stopping = new AbortController();

  const load = async (): Promise<void> => {
    const version = await readConfigVersion(sql);
    if (version === view.version) return;
    // A lower version than seen is another history: the database was restored from a backup.
    const since = version < view.version ? 0n : view.version;
    const read = await readChangedRows(sql, sealer, traitsOf, since);
    reportUnopened(read, log);
    if (since !== view.version) view.clear();
    view.apply(read.rows);
    for (const listener of listeners) listener();
  };

  await loadFirst(sql, sealer, traitsOf, view, log);
  const refresh = shareRuns(load);
  const refreshIfStale = spaceOut(refresh, MIN_MISS_INTERVAL_MS, stopping.signal);
  const polling = poll(refresh, pollMs, log, stopping.signal);

  return {
    current: () => view,
    refresh,
    refreshIfStale,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop() {
      stopping.abort();
      await polling;
    },
  };
}

async function loadFirst(
  sql: Sql,
  sealer: Sealer,
  traitsOf: TraitsOf,
  view: SnapshotView,
  log: Pick<Log, 'warn' | 'error'>,
): Promise<void> {
  const read = await readChangedRows(sql, sealer, traitsOf, 0n);
  if (read.opened === 0 && read.unopened.length > 0) {
    throw new Error('no stored secret opens: POSTRIDER_SECRET_KEY is not the key that this database was written with');
  }
  reportUnopened(read, log);
  view.apply(read.rows);
}

function reportUnopened(read: RowsRead, log: Pick<Log, 'warn' | 'error'>): void {
  if (read.unopened.length === 0) return;
  log.error({ secrets: read.unopened }, 'stored secrets do not open under the secret key; their rows are not in use');
}

/** Calls made before a run has begun share it; runs begin at least `intervalMs` apart. */
function spaceOut(run: () => Promise<void>, intervalMs: number, signal: AbortSignal): () => Promise<void> {
  let waiting: Promise<void> | undefined;
  let quiet: Promise<void> = Promise.resolve();
  return () => {
    waiting ??= quiet.then(() => {
      waiting = undefined;
      quiet = sleep(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      return run();
    });
    return waiting;
  };
}

/** A failed poll keeps the old state and is retried; only the first failure and the recovery are logged. */
async function poll(
  refresh: () => Promise<void>,
  pollMs: number,
  log: Pick<Log, 'warn' | 'error'>,
  signal: AbortSignal,
): Promise<void> {
  let failing = false;
  while (!signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await refresh();
      if (failing) log.warn({}, 'the configuration snapshot is fresh again');
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'cannot refresh the configuration snapshot; the last state stays in use');
      failing = true;
    }
  }
}
