// Ownership: exactly one process owns a channel. Each process tries to acquire the lease of every channel. For each lease that it gets,
// it runs a heartbeat and a channel runtime until the lease is lost, the channel is changed or switched off, or the process stops.

import { setMaxListeners } from 'node:events';
import type { ChannelConfig } from '../../../domain/entities/channel.js';
import { acquireLease, type Lease, LeaseLostError, releaseLease } from '../../../store/channel/channel-lease.js';
import type { ChannelGate } from '../../../store/recovery/timeline.js';
import type { ChannelRuntime, ChannelRuntimeOptions } from './channel-runtime.js';
import { openChannelRuntime } from './channel-runtime.js';
import { type Heartbeat, startHeartbeat } from './heartbeat.js';
import { markInterruptedUnknown } from './interrupted.js';
import { createRerouter, type Rerouter } from './reroute.js';
import { createSessionLog, type SessionLog } from './session-log.js';
import { type ChannelTally, createTally } from './tally.js';

export interface ChannelOwnerOptions extends ChannelRuntimeOptions {
  /** Identifies this process. */
  readonly owner: string;
  /** How long a channel must be without an owner before this process acquires it; infinite: never. */
  readonly patienceMs: (channel: ChannelConfig) => number;
  /** Whether channels may be opened, and stay open: the database may have lost commits. */
  readonly gate: () => ChannelGate;
  /** How long a channel must be up without interruption to count as live. */
  readonly steadyMs: number;
  /** Calls back when the configuration has changed. */
  readonly onConfigChange: (listener: () => void) => () => void;
}

export interface ChannelOwner {
  runtimes(): readonly ChannelRuntime[];
  /** Undefined when this process does not own the channel. */
  runtimeOf(channelId: bigint): ChannelRuntime | undefined;
  stop(): Promise<void>;
}

/** Short enough that another process takes over within ten seconds, long enough to survive a stall of the event loop. */
const LEASE_MS = 6000;
const ROUND_MS = 1000;
/** A channel that is switched off has work only when a paused task is resumed or other channels come up. */
const OFF_ROUND_MS = 5000;
/** The unsent chunks of a channel that is down this long move to other channels of their firm. */
const REROUTE_AFTER_MS = 2000;

/** A channel that is switched off in this version of its configuration. */
interface OffChannel {
  readonly version: bigint;
  readonly rerouter: Rerouter;
  /** All interrupted parts of earlier owners are marked unknown. */
  isCleanedUp: boolean;
}

export function startChannelOwner(options: ChannelOwnerOptions): ChannelOwner {
  const { wake, log } = options;
  const runtimes = new Map<bigint, ChannelRuntime>();
  const loops = new Map<bigint, Promise<void>>();
  const tallies = new Map<bigint, ChannelTally>();
  const stopping = new AbortController();
  // Every channel listens to it.
  setMaxListeners(0, stopping.signal);
  const unsubscribe = options.onConfigChange(() => wake.notify('channels'));

  /** One loop per channel, so that a slow or stuck channel does not delay others. */
  const runChannelLoop = async (channelId: bigint): Promise<void> => {
    let off: OffChannel | undefined;
    while (!stopping.signal.aborted) {
      let since = wake.count('channels');
      const config = options.snapshot().channel(channelId);
      off = config && offStateOf(config, off);
      try {
        const patienceMs = config === undefined ? Number.POSITIVE_INFINITY : options.patienceMs(config);
        const mayAcquire = options.gate() === 'open' && Number.isFinite(patienceMs);
        // The lease of a channel that is switched off is acquired only if there is work.
        const isWanted = mayAcquire && (!off?.isCleanedUp || (await off.rerouter.isDue()));
        const claim = { channelId, owner: options.owner, leaseMs: LEASE_MS, patienceMs };
        const lease = isWanted ? await acquireLease(options.sql, claim) : undefined;
        if (config !== undefined && lease !== undefined) await runWithLease(config, lease, off);
      } catch (error) {
        log.warn({ err: error, channel: config?.channelNo }, 'a channel failed and will be retried');
        // The notification of its own release must not cause an immediate retry.
        since = wake.count('channels');
      }
      await wake.wait('channels', since, off?.isCleanedUp ? OFF_ROUND_MS : ROUND_MS, stopping.signal);
    }
  };

  /** Undefined if the channel is switched on. Kept as long as the configuration is the same. */
  const offStateOf = (config: ChannelConfig, before: OffChannel | undefined): OffChannel | undefined => {
    if (config.status === 'active') return undefined;
    if (before?.version === config.version) return before;
    return { version: config.version, rerouter: createRerouter(options, config), isCleanedUp: false };
  };

  const runWithLease = async (config: ChannelConfig, lease: Lease, off: OffChannel | undefined): Promise<void> => {
    const { channelId } = config;
    const health = () => runtimes.get(channelId)?.health() ?? { state: 'down' };
    const { sql, steadyMs } = options;
    const heartbeat = startHeartbeat({ sql, lease, leaseMs: LEASE_MS, steadyMs, everyMs: ROUND_MS, health });
    try {
      if (off === undefined) await runChannel(config, lease, heartbeat);
      else await cleanUpOff(config, lease, off);
    } finally {
      await heartbeat.stop();
      if (!heartbeat.lost.aborted) await releaseLease(options.sql, lease);
      // Any process may open it now, unless it is switched off.
      if (config.status === 'active') wake.notify('channels');
    }
  };

  const cleanUpOff = async (config: ChannelConfig, lease: Lease, off: OffChannel): Promise<void> => {
    // Every time: on a cluster this takes the buckets over, and nothing can be written under a lease before.
    const left = await markInterruptedUnknown(options, lease);
    await reroute(off.rerouter, config, lease, 'is switched off');
    off.isCleanedUp = left.away.length === 0 && left.failed.size === 0;
  };

  const runChannel = async (config: ChannelConfig, lease: Lease, heartbeat: Heartbeat): Promise<void> => {
    const fault = new AbortController();
    const tally = tallies.get(config.channelId) ?? createTally(options.now);
    tallies.set(config.channelId, tally);
    const sessionLog = createSessionLog({ sql: options.sql, lease, now: options.now });
    sessionLog.note('opened', `version ${config.version} of its configuration`);
    const onFault = (error: unknown) => fault.abort(error);
    const runtime = await openChannelRuntime(options, { config, lease, tally, sessionLog, onFault });
    runtimes.set(config.channelId, runtime);
    const ended = AbortSignal.any([stopping.signal, heartbeat.lost, fault.signal]);
    try {
      // At once, so that preparing tasks sees that the channel is up.
      await heartbeat.beat();
      await superviseRuntime(runtime, lease, sessionLog, ended);
      if (heartbeat.lost.aborted)
        log.warn({ channel: config.channelNo }, 'another process has taken this channel over');
      else if (fault.signal.aborted) {
        const err = fault.signal.reason;
        log.error({ err, channel: config.channelNo }, 'the channel is closed and will be opened again');
      }
    } finally {
      runtimes.delete(config.channelId);
      await runtime.close();
      sessionLog.note('closed', fault.signal.aborted ? describeFault(fault.signal.reason) : 'in good order');
      await sessionLog.flush();
    }
  };

  /** Returns when the configuration changes or `ended` aborts. Reroutes the chunks of a channel that stays down. */
  const superviseRuntime = async (
    runtime: ChannelRuntime,
    lease: Lease,
    sessionLog: SessionLog,
    ended: AbortSignal,
  ): Promise<void> => {
    let down: { readonly sinceMs: number; readonly rerouter: Rerouter } | undefined;
    while (!ended.aborted) {
      const since = wake.count('channels');
      const config = options.snapshot().channel(runtime.config.channelId);
      if (config?.status !== 'active' || config.version !== runtime.config.version) return;
      if (options.gate() === 'held') return;
      if (runtime.channel.health().state !== 'down') down = undefined;
      else down ??= { sinceMs: options.now(), rerouter: createRerouter(options, config) };
      if (down !== undefined && options.now() - down.sinceMs > REROUTE_AFTER_MS) {
        await reroute(down.rerouter, config, lease, 'is down').catch((error) => {
          if (error instanceof LeaseLostError) throw error;
          log.warn({ err: error, channel: config.channelNo }, 'the chunks of a channel could not be rerouted');
        });
      }
      const warn = (message: string) => (err: unknown) => log.warn({ err, channel: config.channelNo }, message);
      await runtime.addBuckets().catch(warn('buckets that are new or whose machine is back could not be added'));
      await runtime.sendTests().catch(warn('test messages could not be sent'));
      runtime.rematchDue();
      await sessionLog.flush();
      await wake.wait('channels', since, ROUND_MS, ended);
    }
  };

  const reroute = async (rerouter: Rerouter, config: ChannelConfig, lease: Lease, why: string): Promise<void> => {
    const moved = (await rerouter.isDue()) ? await rerouter.run(lease) : 0;
    if (moved === 0) return;
    log.warn({ channel: config.channelNo, chunks: moved }, `the channel ${why}; its chunks are rerouted`);
    wake.notify('dispatch');
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const since = wake.count('channels');
      for (const { channelId } of options.snapshot().channels()) {
        if (!loops.has(channelId)) loops.set(channelId, runChannelLoop(channelId));
      }
      await wake.wait('channels', since, ROUND_MS, stopping.signal);
    }
  };
  const running = run();

  return {
    runtimes: () => [...runtimes.values()],
    runtimeOf: (channelId) => runtimes.get(channelId),
    async stop() {
      stopping.abort();
      unsubscribe();
      await running;
      await Promise.all(loops.values());
      wake.notify('channels');
    },
  };
}

function describeFault(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
