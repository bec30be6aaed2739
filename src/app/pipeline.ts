// The pipeline of a process: accepting, and what its roles `worker` and `channels` run.

import { CHANNEL_DRIVERS, localPortOf, openChannel } from '../channels/registry.js';
import { renderBatch } from '../http/customer/batches.js';
import { renderReceipt, renderUplink } from '../http/customer/record-view.js';
import { renderTask } from '../http/customer/task-view.js';
import { renderReview } from '../http/customer/templates.js';
import { createUserMailer } from '../outbound/user-mail.js';
import { type Acceptor, createAcceptor } from '../pipeline/accept/accept.js';
import { createExpressLane } from '../pipeline/accept/express.js';
import { type ChannelOwner, startChannelOwner } from '../pipeline/channel/ownership/owner.js';
import { createPartMemory } from '../pipeline/channel/parts/part-memory.js';
import { createPartsInFlight } from '../pipeline/channel/parts/parts-in-flight.js';
import { startPusher } from '../pipeline/push/pusher.js';
import { createSources } from '../pipeline/push/sources.js';
import { createQuarantine, type Quarantine } from '../pipeline/quarantine/quarantine.js';
import { createCostOf } from '../pipeline/settle/number-cost.js';
import { createRecorder, type Recorder } from '../pipeline/settle/recorder.js';
import type { SettleLimits } from '../pipeline/settle/settle.js';
import { startWorker } from '../pipeline/worker.js';
import type { Closers } from '../service/closers.js';
import { logLostCommits } from '../service/lost-commits.js';
import { createPipelineMetrics, type PipelineMetrics } from '../service/metrics.js';
import { databaseClock } from '../store/database-clock.js';
import { createChannelSpread } from './channel-spread.js';
import type { Core } from './core.js';
import type { GivenOptions } from './options.js';

/** Batches of outcomes, of all buckets, that are written or prepared at the same time. A bucket has at most two. */
const RECORDER_CONCURRENCY = 2;
/** For all channels together; about 200,000 parts. */
const PART_MEMORY_BYTES = 64 * 1024 * 1024;
/** A channel that is up for less than this at a time carries almost nothing. */
const STEADY_MS = 60_000;

export interface Pipeline {
  readonly acceptor: Acceptor;
  readonly recorder: Recorder;
  readonly quarantine: Quarantine;
  readonly metrics: PipelineMetrics;
}

/** The roles `worker` and `channels`, and what the API hands over to them. */
export function startPipeline(core: Core, closers: Closers, options: GivenOptions): Pipeline {
  const { config, log, region, sql, wake, trace } = core;
  const snapshot = () => core.snapshot.current();
  const isHeld = () => core.databaseWatch.gate() === 'held';
  let owner: ChannelOwner | undefined;
  const metrics = createPipelineMetrics(core.registry, {
    waitingRequests: () => acceptor.pending,
    runtimes: () => owner?.runtimes() ?? [],
    buckets: () => snapshot().buckets(),
    drivers: Object.values(CHANNEL_DRIVERS),
    isHeld,
  });
  const stopping = new AbortController();
  const limits = limitsOf(core);
  const recorder = createRecorder({
    sql,
    limits,
    concurrency: RECORDER_CONCURRENCY,
    trace,
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
    trace,
  });
  const acceptor = createAcceptor({ sql, snapshot, nextId: core.nextId, wake, express, trace });
  closers.push(() => recorder.idle());
  closers.push(async () => stopping.abort());
  const quarantine = createQuarantine({ now: Date.now, log });
  const shared = { sql, snapshot, refreshSnapshot: core.snapshot.refresh, region, recorder, wake, log };

  if (config.roles.has('channels')) {
    owner = startChannelOwner({
      ...shared,
      quarantine,
      memory: createPartMemory(PART_MEMORY_BYTES),
      inFlight: createPartsInFlight(),
      now: Date.now,
      databaseNow: options.databaseNow ?? databaseClock.now,
      limits: config,
      owner: core.node,
      gate: core.databaseWatch.gate,
      patienceMs: createChannelSpread({ machine: core.machine, snapshot, localPortOf }),
      steadyMs: Math.min(STEADY_MS, config.unsentTimeoutMs / 10),
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
    const deadlines = { limits, unsentTimeoutMs, retentionMs, monotonicNow, isHeld };
    const notices = noticesOf(core);
    const worker = { ...shared, ...deadlines, sealer: core.sealer, quarantine, setImbalances, trace, notices };
    closers.push(startWorker(worker).stop);
    const sources = createSources({ sql, snapshot, views: PUSH_VIEWS });
    const { sealer, push } = core;
    const pusher = { ...push, sql, snapshot, sealer, sources, wake, log, random: Math.random, observer: metrics.push };
    closers.push(startPusher(pusher).stop);
  }
  return { acceptor, recorder, quarantine, metrics };
}

/** Webhooks show the same fields as the lists. */
export const PUSH_VIEWS = {
  receipt: renderReceipt,
  uplink: renderUplink,
  task: renderTask,
  batch: renderBatch,
  review: renderReview,
};

/** By email alone, with links to the console. */
function noticesOf({ config: { smtpUrl, publicOrigin }, log }: Core) {
  if (smtpUrl === undefined || publicOrigin === undefined) return undefined;
  return { sendUserMail: createUserMailer(smtpUrl, log), publicOrigin, now: Date.now };
}

export function limitsOf({ config, snapshot }: Core): SettleLimits {
  const { receiptTimeoutMs, unknownTimeoutMs } = config;
  return { receiptTimeoutMs, unknownTimeoutMs, costOf: createCostOf(() => snapshot.current()) };
}
