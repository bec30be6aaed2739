// The composition root: from a configuration to a running service and back to silence.

import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import {
  CHANNEL_DRIVERS,
  CHANNEL_KINDS,
  callbackReaderOf,
  checkChannelConfig,
  localPortOf,
  openChannel,
  traitsOf,
} from './channels/registry.js';
import type { Side } from './domain/entities/user.js';
import { createIdSource } from './domain/id.js';
import { parseRegion, type Region } from './domain/plan/phone.js';
import { createAuthApi } from './http/auth/api.js';
import { createOidcClient, type OidcClient } from './http/auth/oidc-client.js';
import { createPasswordHasher, type PasswordCost } from './http/auth/password-hasher.js';
import { createSessionAuth } from './http/auth/session-auth.js';
import { type CallGate, createCallGate } from './http/call-gate.js';
import { createCustomerApi } from './http/customer/api.js';
import { renderBatch } from './http/customer/batches.js';
import type { CustomerDeps } from './http/customer/deps.js';
import { renderReceipt, renderUplink } from './http/customer/record-view.js';
import { renderTask } from './http/customer/task-view.js';
import { renderReview } from './http/customer/templates.js';
import { createOperatorApi } from './http/operator/routes.js';
import { type Api, buildServer, divideLimits } from './http/server.js';
import { createUpstreamApi } from './http/upstream/api.js';
import { createFindViewer } from './http/view-grant.js';
import type { WebhookDeps } from './http/webhook-actions.js';
import { type AddressGuard, createAddressGuard } from './outbound/address-guard.js';
import { createInvitationMailer } from './outbound/invitation-mail.js';
import { createNameLookup } from './outbound/name-lookup.js';
import { resolveByDns } from './outbound/resolve-name.js';
import { type Acceptor, createAcceptor } from './pipeline/accept.js';
import { type ChannelOwner, startChannelOwner } from './pipeline/channel/ownership/owner.js';
import { createPartMemory } from './pipeline/channel/parts/part-memory.js';
import { createCallbackReceiver } from './pipeline/channel/reports/receive-callback.js';
import { createCustomerTurns } from './pipeline/customer-turns.js';
import { createExpressLane } from './pipeline/express.js';
import { leaveChannels } from './pipeline/leave-channels.js';
import type { MoveDeps } from './pipeline/moves.js';
import { moveTask, moveTasks, rescheduleTask, resolveTask } from './pipeline/moves.js';
import { createPoster, type Poster } from './pipeline/push/post.js';
import { startPusher } from './pipeline/push/pusher.js';
import { createSources } from './pipeline/push/sources.js';
import { createQuarantine, type Quarantine } from './pipeline/quarantine/quarantine.js';
import { createRoundQuarantine } from './pipeline/quarantine/round-quarantine.js';
import { requeueTemplate } from './pipeline/requeue-template.js';
import { createCostOf } from './pipeline/settle/number-cost.js';
import { createRecorder } from './pipeline/settle/recorder.js';
import type { SettleLimits } from './pipeline/settle/settle.js';
import { startWake, type Wake } from './pipeline/wake.js';
import { startWorker } from './pipeline/worker.js';
import { createChannelSpread } from './processes/channel-spread.js';
import { createSoleMachine, type Machine } from './processes/machine.js';
import { type Closers, closeAll } from './service/closers.js';
import type { Config } from './service/config.js';
import { startDemandExchange } from './service/demand-exchange.js';
import { type DemoCredentials, setUpDemo } from './service/demo.js';
import { readExampleValues } from './service/demo-examples.js';
import { setUpDemoUsers } from './service/demo-users.js';
import { type KeyUsage, startKeyUsage } from './service/key-usage.js';
import type { Log } from './service/log.js';
import { logLostCommits } from './service/lost-commits.js';
import { createPipelineMetrics, type PipelineMetrics } from './service/metrics.js';
import { startNodeBeat } from './service/node-beat.js';
import { countProcess, createReplacementCounter } from './service/process-metrics.js';
import { loadSecrets, rootTokensOf, type Secrets } from './service/secrets.js';
import { version } from './service/version.js';
import { detectDistribution, isDistributed } from './store/cluster/distribution.js';
import { createClusterProbe } from './store/cluster/probe.js';
import {
  type ConnectOptions,
  connectDatabase,
  type DatabaseAddress,
  describeAddress,
  isPooled,
  type Sql,
  waitForDatabase,
} from './store/connect.js';
import { databaseClock } from './store/database-clock.js';
import { startEmbeddedPostgres } from './store/embedded/start.js';
import { checkSecretKey } from './store/key-check.js';
import { migrate } from './store/migrate.js';
import { auditLastEntries } from './store/money/audit-money.js';
import { ensurePartitions } from './store/partitions.js';
import { createDatabaseProbe, endIfSilent } from './store/probe.js';
import { connectReaders, warmReaders } from './store/readers.js';
import { createSealer, type Sealer } from './store/seal.js';
import { type SnapshotSource, startSnapshot } from './store/snapshot/source.js';
import { watchStuckTransactions } from './store/stuck-transactions.js';

export interface RunningService {
  readonly url: string;
  /** Present when the demo is set up here. */
  readonly demo: DemoCredentials | undefined;
  /** Links that sign the console in to the demo, once each and only from this machine; present with the demo. */
  readonly signInLinks: SignInLinks | undefined;
  /** What keeps this process from its work; empty when it is ready. */
  findMissing(): Promise<readonly string[]>;
  readMetrics(): ReturnType<Registry['getMetricsAsJSON']>;
  refreshSnapshot(): Promise<void>;
  /** Finishes what is in flight. Resolves when all is quiet; may be called again. */
  stop(): Promise<void>;
}

export interface SignInLinks {
  readonly customer: string;
  readonly operator: string;
}

export interface StartOptions {
  readonly log: Log;
  /** Called once when the service cannot go on, such as when its database server has ended. */
  readonly onFailure: (error: Error) => void;
  /** Aborted when a stop is asked for: gives up a start that is still waiting for its database. */
  readonly signal?: AbortSignal;
  /** What this process shares with the others of its machine; absent where it is the only one. */
  readonly machine?: Machine;
  /** For tests of push: a clock that can be moved, and less patience. */
  readonly push?: PushSettings;
  /** For tests of windows: the clock that they open by, in milliseconds since the epoch. */
  readonly databaseNow?: () => number;
  /** For tests of sign-in. */
  readonly passwordCost?: PasswordCost;
  /** For tests on a cluster: it can be told to say what it asks its machines. */
  readonly onNotice?: ConnectOptions['onNotice'];
}

export interface PushSettings {
  readonly now?: () => number;
  readonly timeoutMs?: number;
  /** Where names are looked up; the system's servers when omitted. */
  readonly nameServers?: readonly string[];
}

/** Buckets whose outcomes are recorded at the same time. */
const RECORDER_CONCURRENCY = 4;
/** For all channels together; about 200,000 parts. */
const PART_MEMORY_BYTES = 64 * 1024 * 1024;
/** For accepting, the pipeline, heartbeats and push. */
const MAX_CONNECTIONS = 9;
/** For all other calls of the API, so that they cannot keep the pipeline waiting. At most four of them are exports. */
const MAX_CALL_CONNECTIONS = 7;

/** For one part to stop. */
const CLOSE_LIMIT_MS = 15_000;

export async function start(config: Config, options: StartOptions): Promise<RunningService> {
  const closers: Closers = [];
  const stopRequest = new AbortController();
  const signal = AbortSignal.any([stopRequest.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopRequest.abort();
    stopped ??= closeAll(closers, CLOSE_LIMIT_MS);
    return stopped;
  };
  try {
    return { ...(await startParts(config, { ...options, signal }, closers)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What every role shares. */
interface Core {
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
  /** Names this process among others. */
  readonly node: string;
  readonly machine: Machine;
}

/** How webhooks are reached, by the worker and for tests of them by the API. */
interface PushParts {
  readonly guard: AddressGuard;
  readonly poster: Poster;
  readonly gate: CallGate;
  readonly now: () => number;
}

interface Pipeline {
  readonly acceptor: Acceptor;
  readonly quarantine: Quarantine;
  readonly metrics: PipelineMetrics;
}

type GivenOptions = StartOptions & { readonly signal: AbortSignal };

async function startParts(config: Config, options: GivenOptions, closers: Closers) {
  const core = await startCore(config, options, closers);
  const pipeline = startPipeline(core, closers, options);
  let isStarting = true;
  const probe = createDatabaseProbe(core.sql);
  let demo: DemoCredentials | undefined;
  const { machine, registry } = core;
  countProcess(registry);
  createReplacementCounter(registry);
  const findOwnMissing = async () =>
    isStarting ? ['the service is starting'] : await findMissing(probe, options.signal);
  const server = buildServer({
    log: core.log,
    registry,
    version,
    ready: () => machine.findMissing(findOwnMissing),
    readMetrics: () => machine.readMetrics(() => registry.metrics()),
    ...(isDistributed(core.sql) && { about: createClusterProbe(core.sql, () => core.snapshot.current().buckets()) }),
    apis: config.roles.has('api') ? createApis(core, pipeline, options) : [],
    docs: { exampleValues: async () => demo && readExampleValues(core.sql, demo, config.dataDir) },
    trustedProxies: config.trustedProxies,
    limits: divideLimits(machine.processes),
  });
  closers.push(() => server.close());
  await proveMoney(core, pipeline.metrics);
  const url = await server.listen({ host: config.host, port: config.port });
  if (config.isDemo && config.roles.has('api')) demo = await setUpDemo({ ...core, ...DEMO_DEPS, ...config, url });
  isStarting = false;
  // Nobody waits for it. Where it fails, the first questions take longer, and tell what is wrong.
  if (config.roles.has('api')) void warmReaders(core.readers).catch(() => {});
  const { sql, node } = core;
  const { books } = pipeline.metrics;
  const identity = { node, roles: [...config.roles], version, sealingKey: core.sealer.keyId };
  closers.push(
    startNodeBeat({ ...identity, sql, registry, books, quarantined: pipeline.quarantine.list, now: Date.now }).stop,
  );
  if (machine.shares !== undefined) closers.push(startDemandExchange({ sql, node, shares: machine.shares }).stop);
  return {
    url,
    demo,
    signInLinks: demo && (await issueLinks(core, demo, url)),
    findMissing: findOwnMissing,
    readMetrics: () => registry.getMetricsAsJSON(),
    refreshSnapshot: core.snapshot.refresh,
  };
}

async function issueLinks(core: Core, demo: DemoCredentials, url: string): Promise<SignInLinks> {
  const users = await setUpDemoUsers(core, demo.customer_no);
  const issue = async (side: Side) =>
    `${url}/console/#sign-in=${await core.machine.signInCodes.issue({ side, userNo: users[side] })}`;
  return { customer: await issue('customer'), operator: await issue('operator') };
}

const DEMO_DEPS = { randomBytes, checkChannelConfig };

async function startCore(config: Config, options: GivenOptions, closers: Closers): Promise<Core> {
  const { log, signal } = options;
  const region = parseRegion(config.defaultRegion);
  if (region === undefined) throw new Error(`${config.defaultRegion} is not a region`);
  const secrets = await loadSecrets(config, log);
  const machine = options.machine ?? createSoleMachine();
  const address = config.databaseUrl ?? machine.database ?? (await startDatabase(config, options, closers));
  const { onNotice } = options;
  const sql = connectDatabase(address, { maxConnections: MAX_CONNECTIONS, ...(onNotice && { onNotice }) });
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
  await migrateUnhurried(address, log, signal);
  watchStuckTransactions(readers, log, signal);
  await detectDistribution(calls);
  if (await detectDistribution(sql)) log.info('The database is a cluster: the tables are spread over its machines');
  await ensurePartitions(sql, new Date());
  const sealer = createSealer(secrets.secretKey, secrets.oldSecretKey);
  const snapshot = await startSnapshot({ sql, sealer, traitsOf, log });
  closers.push(() => snapshot.stop());
  // After the snapshot, which refuses a key that opens nothing of what is there: a wrong key must not be written down.
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
  const node = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
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
    node,
    machine,
  };
}

/** A migration may take as long as the tables are large. */
async function migrateUnhurried(address: DatabaseAddress, log: Log, signal: AbortSignal): Promise<void> {
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

/** The roles `worker` and `channels`, and what the API hands work to. */
function startPipeline(core: Core, closers: Closers, options: GivenOptions): Pipeline {
  const { config, log, region, sql, wake } = core;
  const snapshot = () => core.snapshot.current();
  let owner: ChannelOwner | undefined;
  const metrics = createPipelineMetrics(core.registry, {
    waitingRequests: () => acceptor.waiting,
    runtimes: () => owner?.runtimes() ?? [],
    buckets: () => snapshot().buckets(),
    drivers: Object.values(CHANNEL_DRIVERS),
  });
  const stopping = new AbortController();
  const limits = limitsOf(core);
  const recorder = createRecorder({
    sql,
    limits,
    concurrency: RECORDER_CONCURRENCY,
    onCommit(deliveryEvents, bucket) {
      metrics.countRecorded(deliveryEvents);
      wake.notifyLocal('push', bucket);
    },
    onLostCommits(deliveryEvents) {
      metrics.countLostCommits(deliveryEvents.length);
      logLostCommits(log, deliveryEvents);
    },
    signal: stopping.signal,
    stopAsked: options.signal,
  });
  const express = createExpressLane({
    sql,
    snapshot,
    region,
    recorder,
    wake,
    channelOf: (channelId) => owner?.runtimeOf(channelId)?.express,
    monotonicNow: () => performance.now(),
  });
  const acceptor = createAcceptor({ sql, snapshot, nextId: core.nextId, wake, express });
  closers.push(() => recorder.idle());
  closers.push(async () => stopping.abort());
  const quarantine = createQuarantine();
  const shared = { sql, snapshot, refreshSnapshot: core.snapshot.refresh, region, recorder, wake, log };

  if (config.roles.has('channels')) {
    owner = startChannelOwner({
      ...shared,
      quarantine,
      memory: createPartMemory(PART_MEMORY_BYTES),
      now: Date.now,
      databaseNow: options.databaseNow ?? databaseClock.now,
      limits: config,
      owner: core.node,
      patienceMs: createChannelSpread({ machine: core.machine, snapshot, localPortOf }),
      onConfigChange: core.snapshot.onChange,
      observerOf: metrics.observerOf,
      openChannel: ({ kind, config: settings, channelNo }) =>
        openChannel(kind, settings, {
          log: log.child({ channel: channelNo }),
          clock: () => performance.now(),
          now: Date.now,
          random: Math.random,
          meter: metrics.meterOf(kind, channelNo),
          guard: core.upstreamGuard,
        }),
    });
    closers.push(owner.stop);
  }
  if (config.roles.has('worker')) {
    const { unsentTimeoutMs, retentionMs } = config;
    const monotonicNow = () => performance.now();
    const { setImbalances } = metrics;
    const roundQuarantine = createRoundQuarantine({ quarantine, now: Date.now, log });
    const deadlines = { limits, unsentTimeoutMs, retentionMs, monotonicNow };
    closers.push(startWorker({ ...shared, ...deadlines, sealer: core.sealer, roundQuarantine, setImbalances }).stop);
    const sources = createSources({ sql, snapshot, views: PUSH_VIEWS });
    const { sealer, push } = core;
    const pusher = { ...push, sql, snapshot, sealer, sources, wake, log, random: Math.random, observer: metrics.push };
    closers.push(startPusher(pusher).stop);
  }
  return { acceptor, quarantine, metrics };
}

/** Webhooks show what the lists show. */
const PUSH_VIEWS = {
  receipt: renderReceipt,
  uplink: renderUplink,
  task: renderTask,
  batch: renderBatch,
  review: renderReview,
};

function limitsOf({ config, snapshot }: Core): SettleLimits {
  const { receiptTimeoutMs, unknownTimeoutMs } = config;
  return { receiptTimeoutMs, unknownTimeoutMs, costOf: createCostOf(() => snapshot.current()) };
}

function createApis(core: Core, { acceptor }: Pipeline, options: GivenOptions): Api[] {
  const { calls: sql, readers, wake, machine, region: defaultRegion } = core;
  const { limiter, exportGate, guessGuard, processes } = machine;
  // After a change, whichever process a caller reaches next knows it.
  const refresh = async () => void (await Promise.all([core.snapshot.refresh(), machine.refreshOthers()]));
  const snapshot = { ...core.snapshot, refresh };
  const moves: MoveDeps = {
    sql,
    snapshot: () => snapshot.current(),
    wake,
    region: defaultRegion,
    limits: limitsOf(core),
    turns: createCustomerTurns(options.signal),
  };
  const move: CustomerDeps['move'] = (name, tenant, taskId, alongside) =>
    moveTask({ ...moves, ...(alongside && { alongside }) }, name, tenant, taskId);
  const moveAll: CustomerDeps['moveAll'] = (name, tenant, taskIds) => moveTasks(moves, name, tenant, taskIds);
  const reschedule: CustomerDeps['reschedule'] = (tenant, taskId, sendAt) =>
    rescheduleTask(moves, tenant, taskId, sendAt);
  const monotonicNow = () => performance.now();
  const webhooks: WebhookDeps = {
    ...core.push,
    sql,
    sealer: core.sealer,
    sources: createSources({ sql: readers, snapshot: () => snapshot.current(), views: PUSH_VIEWS }),
    nextId: core.nextId,
    randomBytes,
    onChanged: () => wake.notify('push'),
  };
  const authenticateSession = createSessionAuth(readers);
  const { smtpUrl } = core.config;
  const sendInvitation = smtpUrl === undefined ? undefined : createInvitationMailer(smtpUrl, core.log);
  const users = { nextId: core.nextId, randomBytes, now: Date.now, sendInvitation };
  return [
    createCustomerApi({
      authenticateSession,
      users,
      sql,
      readers,
      snapshot,
      defaultRegion,
      move,
      moveAll,
      reschedule,
      acceptor,
      noteKeyUsed: core.keyUsage.note,
      credentials: { sealer: core.sealer, randomBytes, refreshSnapshot: refresh },
      templates: { nextId: core.nextId, refreshSnapshot: refresh },
      findViewer: createFindViewer({ ...core, rootTokens: rootTokensOf(core.secrets), now: Date.now }),
      webhooks,
      limiter,
      exportGate,
      processes,
      now: Date.now,
      monotonicNow,
    }),
    createOperatorApi({
      authenticateSession,
      sql,
      readers,
      snapshot,
      defaultRegion,
      move,
      sealer: core.sealer,
      rootTokens: rootTokensOf(core.secrets),
      sendInvitation,
      nextId: core.nextId,
      randomBytes,
      now: Date.now,
      monotonicNow,
      channelKinds: {
        list: CHANNEL_KINDS,
        traitsOf,
        hasCallbacks: (kind) => callbackReaderOf(kind) !== undefined,
        checkConfig: checkChannelConfig,
      },
      onChannelTest: () => wake.notify('channels'),
      resolve: (tenant, taskId, { outcome, seqs }, alongside) =>
        resolveTask({ ...moves, alongside }, tenant, taskId, { outcome, seqs }),
      onCredited: () => wake.notify('refreeze'),
      requeueTemplate: (tenant, templateId, messageClass) =>
        requeueTemplate({ sql, wake }, tenant, templateId, messageClass),
      leaveChannels: (tenant) => leaveChannels({ sql, snapshot: () => snapshot.current(), wake }, tenant),
      guessGuard,
      webhooks,
    }),
    createAuthApi({
      ...core,
      sql,
      authenticateSession,
      signInCodes: machine.signInCodes,
      oidc: createOidc(core.config),
      hasher: createPasswordHasher(randomBytes, options.passwordCost),
      randomBytes,
      now: Date.now,
      monotonicNow,
    }),
    createUpstreamApi({
      snapshot,
      log: core.log,
      limiter,
      receive: createCallbackReceiver({ sql, wake, readerOf: callbackReaderOf, monotonicNow }),
    }),
  ];
}

async function proveMoney({ sql, log }: Core, metrics: PipelineMetrics): Promise<void> {
  const imbalances = await auditLastEntries(sql);
  if (imbalances.length > 0) log.error({ imbalances }, 'the money does not add up; run: postrider audit');
  metrics.setImbalances(imbalances.length);
}

/** What keeps this process from doing its work; empty when it is ready. */
async function findMissing(probe: () => Promise<boolean>, stopRequested: AbortSignal): Promise<string[]> {
  if (stopRequested.aborted) return ['the service is stopping'];
  return (await probe()) ? [] : ['the database does not answer'];
}

function createOidc({ oidcIssuer, oidcClientId, oidcClientSecret, oidcRoleClaim }: Config): OidcClient | undefined {
  if (oidcIssuer === undefined || oidcClientId === undefined) return undefined;
  return createOidcClient({
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    roleClaim: oidcRoleClaim,
  });
}
