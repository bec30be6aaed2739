// What every role shares: the database, the secrets, the configuration in memory, the wake-ups.

import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import { traitsOf } from '../channels/registry.js';
import { createIdSource } from '../domain/id.js';
import { parseRegion, type Region } from '../domain/phone/phone.js';
import { type CallGate, createCallGate } from '../http/limits/call-gate.js';
import { type AddressGuard, createAddressGuard } from '../outbound/address-guard.js';
import { createNameLookup } from '../outbound/name-lookup.js';
import { resolveByDns } from '../outbound/resolve-name.js';
import { createPoster, type Poster } from '../pipeline/push/post.js';
import type { TaskTrace } from '../pipeline/task-trace.js';
import { NO_BUCKET, startWake, type Wake } from '../pipeline/wake.js';
import { type CallbackAudit, startCallbackAudit } from '../service/callback-audit.js';
import type { Closers } from '../service/closers.js';
import type { Config } from '../service/config.js';
import { type DatabaseWatch, startDatabaseWatch } from '../service/database-watch.js';
import { type KeyUsage, startKeyUsage } from '../service/key-usage.js';
import type { Log } from '../service/log.js';
import { loadSecrets, type Secrets } from '../service/secrets.js';
import { startTracing } from '../service/tracing/start-tracing.js';
import { detectDistribution } from '../store/cluster/distribution.js';
import { startClusterWorkers } from '../store/cluster-workers/workers.js';
import { connectDatabase, type DatabaseAddress, describeAddress, isPooled, waitForDatabase } from '../store/connect.js';
import { databaseClock } from '../store/database-clock.js';
import { startEmbeddedPostgres } from '../store/embedded/start.js';
import { migrate } from '../store/migrate/migrate.js';
import { ensurePartitions } from '../store/partitions.js';
import { endIfSilent } from '../store/probe.js';
import { connectReaders } from '../store/readers.js';
import { checkSecretKey } from '../store/secrets/key-check.js';
import { createSealer, type Sealer } from '../store/secrets/seal.js';
import { type SnapshotSource, startSnapshot } from '../store/snapshot/source.js';
import type { Sql } from '../store/sql.js';
import { watchStuckTransactions } from '../store/stuck-transactions.js';
import { createSoleMachine, type Machine } from './machine.js';
import type { GivenOptions, StartOptions } from './options.js';

/** For accepting, the pipeline, heartbeats and push. */
const MAX_CONNECTIONS = 9;
/** For all other calls of the API, so that they cannot keep the pipeline waiting. At most four of them are exports. */
const MAX_CALL_CONNECTIONS = 7;

/** What every role shares. */
export interface Core {
  readonly config: Config;
  readonly log: Log;
  readonly region: Region;
  readonly secrets: Secrets;
  readonly sql: Sql;
  /** For the calls of the API, accepting apart. */
  readonly calls: Sql;
  /** For what people wait for. */
  readonly readers: Sql;
  readonly sealer: Sealer;
  readonly snapshot: SnapshotSource;
  readonly wake: Wake;
  readonly registry: Registry;
  readonly nextId: () => bigint;
  readonly push: PushParts;
  /** For channels over HTTP. */
  readonly upstreamGuard: AddressGuard;
  readonly keyUsage: KeyUsage;
  readonly callbackAudit: CallbackAudit;
  /** The id of this process. */
  readonly node: string;
  readonly databaseWatch: DatabaseWatch;
  readonly machine: Machine;
  /** Undefined: nothing is traced. */
  readonly trace: TaskTrace | undefined;
}

/** How webhooks are reached: by the worker, and by the API for test messages. */
interface PushParts {
  readonly guard: AddressGuard;
  readonly poster: Poster;
  readonly gate: CallGate;
  readonly now: () => number;
}

export async function startCore(config: Config, options: GivenOptions, closers: Closers): Promise<Core> {
  const { log, signal } = options;
  const region = parseRegion(config.defaultRegion);
  if (region === undefined) throw new Error(`${config.defaultRegion} is not a region`);
  const secrets = await loadSecrets(config, log);
  const machine = options.machine ?? createSoleMachine();
  const address = config.databaseUrl ?? machine.database ?? (await startDatabase(config, options, closers));
  const { onNotice } = options;
  const connect = { maxConnections: MAX_CONNECTIONS, ...(onNotice && { onNotice }) };
  const sql = connectDatabase(address, connect);
  closers.push(() => sql.end({ timeout: 5 }));
  const calls = connectDatabase(address, { maxConnections: MAX_CALL_CONNECTIONS, ...(onNotice && { onNotice }) });
  closers.push(() => calls.end({ timeout: 5 }));
  const readers = connectReaders(address);
  closers.push(() => readers.end({ timeout: 5 }));
  endIfSilent([sql, calls, readers], log, signal);
  databaseClock.onJump = (aheadMs) =>
    log.error(
      { ahead_seconds: Math.round(aheadMs / 1000) },
      'the clock of the database has jumped forward: record times go on from before the jump for ten minutes. Check its time synchronisation',
    );
  await waitForDatabase(sql, { description: describeAddress(address), log, signal });
  await migrateWithoutTimeout(address, log, signal);
  watchStuckTransactions(readers, log, signal);
  await detectDistribution(calls);
  if (await detectDistribution(sql)) {
    log.info('The database is a cluster: the tables are spread over its machines');
    const workers = await startClusterWorkers({ sql, address, addresses: config.workerAddresses, connect, log });
    closers.push(() => workers.stop());
  }
  await ensurePartitions(sql, new Date());
  const sealer = createSealer(secrets.secretKey, secrets.oldSecretKey);
  const snapshot = await startSnapshot({ sql, sealer, traitsOf, log });
  closers.push(() => snapshot.stop());
  // After the snapshot, which rejects a key that cannot decrypt stored values: a wrong key must not be written down.
  await checkSecretKey(sql, sealer);
  const warn = (err: unknown) => log.warn({ err }, 'other processes could not be notified; they poll');
  const wake = await startWake({ sql, listen: !isPooled(address), warn });
  closers.push(() => wake.stop());
  const nextId = createIdSource({ now: Date.now, randomBytes });
  const { timeoutMs, nameServers } = options.push ?? {};
  const lookUp = createNameLookup(resolveByDns(nameServers && { servers: nameServers }));
  const guard = createAddressGuard(config.webhookAllow, lookUp);
  const upstreamGuard = createAddressGuard(config.upstreamAllow, lookUp);
  const poster = createPoster({ guard, ...(timeoutMs !== undefined && { timeoutMs }) });
  closers.push(async () => poster.close());
  const push = { guard, poster, gate: createCallGate(signal), now: options.push?.now ?? Date.now };
  const keyUsage = startKeyUsage(sql, log, Date.now);
  closers.push(() => keyUsage.stop());
  const callbackAudit = startCallbackAudit(sql, log);
  closers.push(() => callbackAudit.stop());
  const node = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const trace = await startTracing({ config, node, log, snapshot: snapshot.current });
  if (trace !== undefined) closers.push(trace.stop);
  const onGateChange = () => wake.notifyLocal('channels', NO_BUCKET);
  const databaseWatch = await startDatabaseWatch({ sql, node, log, onGateChange });
  closers.push(() => databaseWatch.stop());
  return {
    config,
    log,
    region,
    secrets,
    sql,
    calls,
    readers,
    sealer,
    snapshot,
    wake,
    registry: new Registry(),
    nextId,
    push,
    upstreamGuard,
    keyUsage,
    callbackAudit,
    node,
    databaseWatch,
    machine,
    trace,
  };
}

/** A migration may take as long as the tables are large. */
async function migrateWithoutTimeout(address: DatabaseAddress, log: Log, signal: AbortSignal): Promise<void> {
  const sql = connectDatabase(address, { maxConnections: 1, statementTimeoutMs: 0 });
  try {
    const say = (line: string) => log.info(line);
    const applied = await migrate(sql, { say, signal });
    if (applied.length > 0)
      log.info(`Migrated: ${applied.length === 1 ? '' : `${applied.length} migrations, up to `}${applied.at(-1)}`);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function startDatabase(config: Config, options: StartOptions, closers: Closers) {
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, ...options });
  closers.push(() => embedded.stop());
  return embedded.address;
}
