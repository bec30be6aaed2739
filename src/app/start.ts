// The composition root: starts a service from a configuration, and stops it.

import { randomBytes } from 'node:crypto';
import type { Registry } from 'prom-client';
import { checkChannelConfig } from '../channels/registry.js';
import type { Side } from '../domain/entities/user.js';
import { createHttpServer, divideLimits } from '../http/server.js';
import { type Closers, closeAll } from '../service/closers.js';
import type { Config } from '../service/config.js';
import { type DemoCredentials, setUpDemo } from '../service/demo.js';
import { readExampleValues } from '../service/demo-examples.js';
import { setUpDemoUsers } from '../service/demo-users.js';
import type { PipelineMetrics } from '../service/metrics.js';
import { startNodeBeat } from '../service/node-beat.js';
import { countProcess, createReplacementCounter } from '../service/process-metrics.js';
import { startShareWatch } from '../service/share-watch.js';
import { version } from '../service/version.js';
import { isDistributed } from '../store/cluster/distribution.js';
import { createClusterProbe } from '../store/cluster/probe.js';
import { auditLastEntries } from '../store/money/audit-money.js';
import { createDatabaseProbe } from '../store/probe.js';
import { warmReaders } from '../store/readers.js';
import { createApis } from './apis.js';
import { type Core, startCore } from './core.js';
import type { GivenOptions, StartOptions } from './options.js';
import { startPipeline } from './pipeline.js';

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
  /** Finishes what is in flight. Resolves when everything has ended. Idempotent. */
  stop(): Promise<void>;
}

export interface SignInLinks {
  readonly customer: string;
  readonly operator: string;
}

/** The time that one part has to stop. */
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
  const server = createHttpServer({
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
  await auditRecentEntries(core, pipeline.metrics);
  const url = await server.listen({ host: config.host, port: config.port });
  if (config.isDemo && config.roles.has('api')) demo = await setUpDemo({ ...core, ...DEMO_DEPS, ...config, url });
  isStarting = false;
  // Not awaited. If it fails, the first queries take longer and report the error.
  if (config.roles.has('api')) void warmReaders(core.readers).catch(() => {});
  const { sql, node } = core;
  const { books } = pipeline.metrics;
  const identity = { node, roles: [...config.roles], version, sealingKey: core.sealer.keyId };
  closers.push(
    startNodeBeat({ ...identity, sql, registry, books, quarantined: pipeline.quarantine.list, now: Date.now }).stop,
  );
  const { share, processes } = machine;
  if (share !== undefined) closers.push(startShareWatch({ sql, processes, share }).stop);
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

async function auditRecentEntries({ sql, log }: Core, metrics: PipelineMetrics): Promise<void> {
  const imbalances = await auditLastEntries(sql);
  if (imbalances.length > 0) log.error({ imbalances }, 'the money does not add up; run: postrider audit');
  metrics.setImbalances(imbalances.length);
}

/** What keeps this process from doing its work; empty when it is ready. */
async function findMissing(probe: () => Promise<boolean>, stopRequested: AbortSignal): Promise<string[]> {
  if (stopRequested.aborted) return ['the service is stopping'];
  return (await probe()) ? [] : ['the database does not answer'];
}
