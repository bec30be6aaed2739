// Ownership: each channel is spoken for by exactly one process. A process tries for every channel there is; for each that it
// gets, it keeps a heartbeat and a runtime until the channel is lost, changed or switched off, or the process stops.

import { setMaxListeners } from 'node:events';
import type { ChannelConfig } from '../../../domain/entities/channel.js';
import { acquireLease, type Lease, LeaseLostError, releaseLease } from '../../../store/channel/channel-lease.js';
import type { ChannelRuntime, ChannelRuntimeOptions } from './channel-runtime.js';
import { openChannelRuntime } from './channel-runtime.js';
import { type Heartbeat, startHeartbeat } from './heartbeat.js';
import { markInterruptedUnknown } from './interrupted.js';
import { createRerouter, type Rerouter } from './reroute.js';
import { createSessionLog, type SessionLog } from './session-log.js';
import { type ChannelTally, createTally } from './tally.js';

export interface ChannelOwnerOptions extends ChannelRuntimeOptions {
  /** Names this process among others. */
  readonly owner: string;
  /** How long a channel must have been without an owner before this process takes it; infinite: it does not. */
  readonly patienceMs: (channel: ChannelConfig) => number;
  /** Calls back when the configuration has changed. */
  readonly onConfigChange: (listener: () => void) => () => void;
}

export interface ChannelOwner {
  runtimes(): readonly ChannelRuntime[];
  /** Undefined when this process does not own the channel. */
  runtimeOf(channelId: bigint): ChannelRuntime | undefined;
  stop(): Promise<void>;
}

/** Short enough that another process takes over within ten seconds, long enough to survive a stall. */
const LEASE_MS = 6000;
const ROUND_MS = 1000;
/** A channel that is switched off has work only when a task that was paused goes on, or other channels come up. */
const OFF_ROUND_MS = 5000;
/** A channel that is down this long gives its unsent chunks to others that serve their firm. */
const REROUTE_AFTER_MS = 2000;

/** A channel that is switched off, since this version of its configuration. */
interface OffChannel {
  readonly version: bigint;
  readonly rerouter: Rerouter;
  /** The parts that a process left unanswered are given up. */
  isSettled: boolean;
}

export function startChannelOwner(options: ChannelOwnerOptions): ChannelOwner {
  const { wake, log } = options;
  const runtimes = new Map<bigint, ChannelRuntime>();
  const keepers = new Map<bigint, Promise<void>>();
  const tallies = new Map<bigint, ChannelTally>();
  const stopping = new AbortController();
  // Every channel there is listens to it.
  setMaxListeners(0, stopping.signal);
  const unsubscribe = options.onConfigChange(() => wake.notify('channels'));

  /** One loop a channel: what takes long with one, or is stuck, keeps no other waiting. */
  const keep = async (channelId: bigint): Promise<void> => {
    let off: OffChannel | undefined;
    while (!stopping.signal.aborted) {
      let since = wake.count('channels');
      const config = options.snapshot().channel(channelId);
      off = config && nextOff(config, off);
      try {
        // Nobody needs the lease of a channel that is switched off, unless there is something to do for it.
        const patienceMs = config === undefined ? Number.POSITIVE_INFINITY : options.patienceMs(config);
        const isWanted = Number.isFinite(patienceMs) && (!off?.isSettled || (await off.rerouter.isDue()));
        const claim = { channelId, owner: options.owner, leaseMs: LEASE_MS, patienceMs };
        const lease = isWanted ? await acquireLease(options.sql, claim) : undefined;
        if (config !== undefined && lease !== undefined) await hold(config, lease, off);
      } catch (error) {
        log.warn({ err: error, channel: config?.channelNo }, 'tending a channel failed and will be tried again');
        // What it told others when it let go is no reason to hurry.
        since = wake.count('channels');
      }
      await wake.wait('channels', since, off?.isSettled ? OFF_ROUND_MS : ROUND_MS, stopping.signal);
    }
  };

  const nextOff = (config: ChannelConfig, before: OffChannel | undefined): OffChannel | undefined => {
    if (config.status === 'active') return undefined;
    if (before?.version === config.version) return before;
    return { version: config.version, rerouter: createRerouter(options, config), isSettled: false };
  };

  const hold = async (config: ChannelConfig, lease: Lease, off: OffChannel | undefined): Promise<void> => {
    const { channelId } = config;
    const health = () => runtimes.get(channelId)?.health() ?? { state: 'down' };
    const heartbeat = startHeartbeat({ sql: options.sql, lease, leaseMs: LEASE_MS, everyMs: ROUND_MS, health });
    try {
      if (off === undefined) await work(config, lease, heartbeat);
      else await tendOff(config, lease, off);
    } finally {
      await heartbeat.stop();
      if (!heartbeat.lost.aborted) await releaseLease(options.sql, lease);
      // For whoever opens it next, here or elsewhere. Nobody opens one that is switched off.
      if (config.status === 'active') wake.notify('channels');
    }
  };

  const tendOff = async (config: ChannelConfig, lease: Lease, off: OffChannel): Promise<void> => {
    const left = off.isSettled ? undefined : await markInterruptedUnknown(options, lease);
    await giveAway(off.rerouter, config, lease, 'is switched off');
    if (left !== undefined) off.isSettled = left.away.length === 0 && left.failed.size === 0;
  };

  const work = async (config: ChannelConfig, lease: Lease, heartbeat: Heartbeat): Promise<void> => {
    const fault = new AbortController();
    const tally = tallies.get(config.channelId) ?? createTally(options.now);
    tallies.set(config.channelId, tally);
    const sessionLog = createSessionLog({ sql: options.sql, lease, now: options.now });
    sessionLog.note('opened', `version ${config.version} of its configuration`);
    const onFault = (error: unknown) => fault.abort(error);
    const runtime = await openChannelRuntime(options, { config, lease, tally, sessionLog, onFault });
    runtimes.set(config.channelId, runtime);
    const over = AbortSignal.any([stopping.signal, heartbeat.lost, fault.signal]);
    try {
      // Published at once, so that preparing sees the channel up.
      await heartbeat.beat();
      await attend(runtime, lease, sessionLog, over);
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

  /** Until the configuration changes, or somebody ends it: a channel that stays down gives its work away. */
  const attend = async (
    runtime: ChannelRuntime,
    lease: Lease,
    sessionLog: SessionLog,
    over: AbortSignal,
  ): Promise<void> => {
    let down: { readonly sinceMs: number; readonly rerouter: Rerouter } | undefined;
    while (!over.aborted) {
      const since = wake.count('channels');
      const config = options.snapshot().channel(runtime.config.channelId);
      if (config?.status !== 'active' || config.version !== runtime.config.version) return;
      if (runtime.channel.health().state !== 'down') down = undefined;
      else down ??= { sinceMs: options.now(), rerouter: createRerouter(options, config) };
      if (down !== undefined && options.now() - down.sinceMs > REROUTE_AFTER_MS) {
        await giveAway(down.rerouter, config, lease, 'is down').catch((error) => {
          if (error instanceof LeaseLostError) throw error;
          log.warn({ err: error, channel: config.channelNo }, 'the chunks of a channel could not be given away');
        });
      }
      await runtime
        .tend()
        .catch((err) => log.warn({ err, channel: config.channelNo }, 'test messages could not be sent'));
      await sessionLog.flush();
      await wake.wait('channels', since, ROUND_MS, over);
    }
  };

  const giveAway = async (rerouter: Rerouter, config: ChannelConfig, lease: Lease, why: string): Promise<void> => {
    const moved = (await rerouter.isDue()) ? await rerouter.run(lease) : 0;
    if (moved === 0) return;
    log.warn({ channel: config.channelNo, chunks: moved }, `the channel ${why}; its chunks go by others`);
    wake.notify('dispatch');
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const since = wake.count('channels');
      for (const { channelId } of options.snapshot().channels()) {
        if (!keepers.has(channelId)) keepers.set(channelId, keep(channelId));
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
      await Promise.all(keepers.values());
      wake.notify('channels');
    },
  };
}

function describeFault(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
