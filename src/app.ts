// The composition root: from a configuration to a running service and back to silence.

import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import { checkChannelConfig, openChannel } from './channels/open-channel.js';
import { silentObserver } from './channels/smpp/observer.js';
import type { Config } from './config.js';
import { loadSecrets } from './data-folder.js';
import { setUpDemo } from './demo.js';
import { makeIdSource } from './domain/id.js';
import { parseRegion } from './domain/phone.js';
import { makeCustomerApi } from './http/customer/api.js';
import { makeOperatorApi } from './http/operator/routes.js';
import { buildServer } from './http/server.js';
import type { Log } from './log.js';
import { makePipelineMetrics } from './metrics.js';
import { makeAcceptor } from './pipeline/accept.js';
import { type ChannelOwner, startChannelOwner } from './pipeline/channel-owner.js';
import type { MoveDeps } from './pipeline/moves.js';
import { cancelTask, freezeTask, prepareTask, resolveTask, submitTask } from './pipeline/moves.js';
import { makeRecorder } from './pipeline/recorder.js';
import { startWake } from './pipeline/wake.js';
import { startWorker } from './pipeline/worker.js';
import { auditLastEntries } from './store/audit-money.js';
import { connectDatabase, describeAddress, waitForDatabase } from './store/connect.js';
import { startEmbeddedPostgres } from './store/embedded/start.js';
import { migrate } from './store/migrate.js';
import { ensurePartitions } from './store/partitions.js';
import { makeSealer } from './store/seal.js';
import { startSnapshot } from './store/snapshot.js';
import { version } from './version.js';

export interface RunningService {
  readonly url: string;
  /** Finishes what is in flight. Resolves when all is quiet; may be called again. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly log: Log;
  /** Called once when the service cannot go on, such as when its database server has ended. */
  readonly onFailure: (error: Error) => void;
}

const RECORDER_CONCURRENCY = 4;
const MAX_CONNECTIONS = 16;

export async function start(config: Config, { log, onFailure }: StartOptions): Promise<RunningService> {
  // Whatever was started is closed in the opposite order, also when a later step fails.
  const closers: (() => Promise<unknown>)[] = [];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= closeAll(closers);
    return stopped;
  };
  try {
    return { url: await startParts(config, log, onFailure, closers), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    await close().catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw new AggregateError(errors, 'the service did not stop cleanly');
}

async function startParts(
  config: Config,
  log: Log,
  onFailure: (error: Error) => void,
  closers: (() => Promise<unknown>)[],
): Promise<string> {
  const region = parseRegion(config.defaultRegion);
  if (region === undefined) throw new Error(`${config.defaultRegion} is not a region`);
  const secrets = await loadSecrets(config, log);
  const address = config.databaseUrl ?? (await startDatabase(config, log, onFailure, closers));
  const sql = connectDatabase(address, { maxConnections: MAX_CONNECTIONS });
  closers.push(() => sql.end({ timeout: 5 }));
  await waitForDatabase(sql, { description: describeAddress(address), log });
  for (const name of await migrate(sql)) log.info(`Migrated: ${name}`);
  await ensurePartitions(sql, new Date());

  const sealer = makeSealer(secrets.secretKey);
  const snapshotSource = await startSnapshot({ sql, sealer, log });
  closers.push(() => snapshotSource.stop());
  const snapshot = () => snapshotSource.current();
  const isPooled = typeof address === 'string' && new URL(address).searchParams.get('pgbouncer') === 'true';
  const warn = (err: unknown) => log.warn({ err }, 'other processes could not be notified; they poll');
  const wake = await startWake({ sql, listen: !isPooled, warn });
  closers.push(() => wake.stop());

  const registry = new Registry();
  const nextId = makeIdSource({ now: Date.now, randomBytes });
  const acceptor = makeAcceptor({ sql, snapshot, nextId, wake });
  let owner: ChannelOwner | undefined;
  const metrics = makePipelineMetrics(registry, {
    waitingRequests: () => acceptor.waiting,
    desks: () => owner?.desks() ?? [],
  });
  const stopping = new AbortController();
  const recorder = makeRecorder({
    sql,
    limits: config,
    concurrency: RECORDER_CONCURRENCY,
    onCommit: metrics.countRecorded,
    signal: stopping.signal,
  });
  closers.push(() => recorder.idle());
  closers.push(async () => stopping.abort());

  if (config.roles.has('channels')) {
    owner = startChannelOwner({
      sql,
      snapshot,
      region,
      recorder,
      wake,
      log,
      now: Date.now,
      owner: `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`,
      onConfigChange: snapshotSource.onChange,
      observerOf: metrics.observerOf,
      openChannel: ({ kind, config: settings, channelNo }) =>
        openChannel(kind, settings, { log: log.child({ channel: channelNo }), observer: silentObserver }),
    });
    closers.push(owner.stop);
  }
  if (config.roles.has('worker')) {
    const worker = startWorker({ sql, snapshot, region, recorder, wake, log, setImbalances: metrics.setImbalances });
    closers.push(worker.stop);
  }

  const moves: MoveDeps = { sql, snapshot, recorder, wake };
  const moveBy = { prepare: prepareTask, freeze: freezeTask, submit: submitTask, cancel: cancelTask };
  const move: Parameters<typeof makeCustomerApi>[0]['move'] = (name, customerId, taskId) =>
    moveBy[name](moves, customerId, taskId);
  const common = { sql, snapshot: snapshotSource, defaultRegion: region, move };
  const customerApi = makeCustomerApi({
    ...common,
    acceptor,
    now: Date.now,
    monotonicNow: () => performance.now(),
  });
  const operatorApi = makeOperatorApi({
    ...common,
    sealer,
    operatorToken: secrets.operatorToken,
    nextId,
    randomBytes,
    checkChannelConfig,
    resolve: (customerId, taskId, { outcome, seqs }) => resolveTask(moves, customerId, taskId, { outcome, seqs }),
    onCredited: () => wake.notify('refreeze'),
  });
  let isStarting = true;
  const server = buildServer({
    log,
    registry,
    version,
    ready: async () => (isStarting ? ['the service is starting'] : findMissing(sql, stopping.signal)),
    apis: config.roles.has('api') ? [customerApi, operatorApi] : [],
  });
  closers.push(() => server.close());
  const imbalances = await auditLastEntries(sql);
  if (imbalances.length > 0) log.error({ imbalances }, 'the money does not add up; run: postrider audit');
  metrics.setImbalances(imbalances.length);
  const url = await server.listen({ host: config.host, port: config.port });
  if (config.isDemo && config.roles.has('api')) {
    const { dataDir } = config;
    await setUpDemo({ sql, sealer, snapshot: snapshotSource, nextId, randomBytes, checkChannelConfig, dataDir, url });
  }
  isStarting = false;
  return url;
}

async function startDatabase(
  config: Config,
  log: Log,
  onFailure: (error: Error) => void,
  closers: (() => Promise<unknown>)[],
) {
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log, onFailure });
  closers.push(() => embedded.stop());
  return embedded.address;
}

/** What keeps this process from doing its work; empty when it is ready. */
async function findMissing(sql: ReturnType<typeof connectDatabase>, stopping: AbortSignal): Promise<string[]> {
  if (stopping.aborted) return ['the service is stopping'];
  try {
    await sql`select 1`;
    return [];
  } catch {
    return ['the database does not answer'];
  }
}
