import { availableParallelism, totalmem } from 'node:os';

const mebibyte = 1024 * 1024;
/** See `docs/guides/production.md`. */
const CONNECTIONS_A_PROCESS = 21;
/** For the command line, maintenance and people. */
const SPARE_CONNECTIONS = 30;

export interface SettingsOptions {
  /** Only a test's throw-away server may lose what it committed. */
  readonly durable: boolean;
  /** How many processes of the service connect. */
  readonly serviceProcesses?: number;
  readonly memoryBytes?: number;
}

/** The server's settings for a messaging load: many short transactions, queues that turn over, history that only grows. */
export function renderSettings(options: SettingsOptions): string {
  const memory = options.memoryBytes ?? availableMemoryBytes();
  const sharedBuffersMib = Math.round(Math.min(Math.max(memory / 4 / mebibyte, 128), 512));
  const durable = options.durable ? 'on' : 'off';
  const settings: Record<string, string | number> = {
    // An acceptance is answered after its commit, so a commit must be on disk.
    fsync: durable,
    synchronous_commit: durable,
    full_page_writes: durable,

    max_connections: Math.max(100, CONNECTIONS_A_PROCESS * (options.serviceProcesses ?? 1) + SPARE_CONNECTIONS),
    shared_buffers: `${sharedBuffersMib}MB`,
    effective_cache_size: `${Math.round(Math.max(memory / 2 / mebibyte, 256))}MB`,
    work_mem: '16MB',
    maintenance_work_mem: `${Math.round(sharedBuffersMib / 2)}MB`,

    // Checkpoints by time, not by volume: each one makes the pages after it cost a whole page of log again. The log is not
    // compressed: this build has no lz4, and pglz costs more processor time than the bytes are worth.
    max_wal_size: '4GB',
    min_wal_size: '512MB',
    wal_buffers: '16MB',
    checkpoint_timeout: '15min',
    checkpoint_completion_target: 0.9,

    // Queue tables are emptied as fast as they are filled; vacuum must come round before they bloat.
    autovacuum_naptime: '10s',
    autovacuum_vacuum_scale_factor: 0.05,
    autovacuum_analyze_scale_factor: 0.05,
    autovacuum_vacuum_cost_limit: 2000,

    // Statements are short: compiling them, or spreading them over processes, costs more than it gives.
    jit: 'off',
    max_parallel_workers_per_gather: 0,
    max_worker_processes: Math.max(4, availableParallelism()),
    random_page_cost: 1.1,

    // A client that hangs inside a transaction holds locks that others wait for.
    idle_in_transaction_session_timeout: '60s',
    timezone: 'UTC',
    unix_socket_permissions: '0700',

    // Statements and key values carry phone numbers and texts. The service logs its own errors, without them.
    log_timezone: 'UTC',
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    log_autovacuum_min_duration: -1,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  return [
    '# Written anew at every start. Put settings of your own in local.conf, which is read after this.',
    ...lines,
    '',
  ].join('\n');
}

// In a container the machine's memory is not ours to use.
function availableMemoryBytes(): number {
  const limit = process.constrainedMemory?.() ?? 0;
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
