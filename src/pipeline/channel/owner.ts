// Ownership: each channel is spoken for by exactly one process. A process tries for every channel there is; for each that it
// gets, it keeps a heartbeat and a desk until the channel is lost, changed or switched off, or the process stops.

import { setMaxListeners } from 'node:events';
import type { ChannelConfig } from '../../domain/entities/channel.js';
import { acquireLease, type Lease, LeaseLostError, releaseLease } from '../../store/channel/channel-lease.js';
import type { ChannelDesk, DeskOptions } from './desk.js';
import { openDesk } from './desk.js';
import { type Heartbeat, startHeartbeat } from './heartbeat.js';
import { giveUpInterrupted } from './interrupted.js';
import { rerouteChannel } from './reroute.js';
import { makeSessionLog, type SessionLog } from './session-log.js';
import { type ChannelTally, makeTally } from './tally.js';

export interface ChannelOwnerOptions extends DeskOptions {
  /** Names this process among others. */
  readonly owner: string;
  /** Calls back when the configuration has changed. */
  readonly onConfigChange: (listener: () => void) => () => void;
}

export interface ChannelOwner {
  desks(): readonly ChannelDesk[];
  stop(): Promise<void>;
}

/** Short enough that another process takes over within ten seconds, long enough to survive a stall. */
const LEASE_MS = 6000;
const ROUND_MS = 1000;
/** A channel that is down this long gives its unsent chunks to others that serve their firm. */
const REROUTE_AFTER_MS = 2000;

export function startChannelOwner(options: ChannelOwnerOptions): ChannelOwner {
  const { wake, log } = options;
  const desks = new Map<bigint, ChannelDesk>();
  const keepers = new Map<bigint, Promise<void>>();
  const tallies = new Map<bigint, ChannelTally>();
  const stopping = new AbortController();
  // Every channel there is listens to it.
  setMaxListeners(0, stopping.signal);
  const unsubscribe = options.onConfigChange(() => wake.notify('channels'));

  /** One loop a channel: what takes long with one, or is stuck, keeps no other waiting. */
  const keep = async (channelId: bigint): Promise<void> => {
    while (!stopping.signal.aborted) {
      let since = wake.count('channels');
      const config = options.snapshot().channel(channelId);
      try {
        const lease = config && (await acquireLease(options.sql, channelId, options.owner, LEASE_MS));
        if (config !== undefined && lease !== undefined) await hold(config, lease);
      } catch (error) {
        log.warn({ err: error, channel: config?.channelNo }, 'tending a channel failed and will be tried again');
        // What it told others when it let go is no reason to hurry.
        since = wake.count('channels');
      }
      await wake.wait('channels', since, ROUND_MS, stopping.signal);
    }
  };

  const hold = async (config: ChannelConfig, lease: Lease): Promise<void> => {
    const { channelId } = config;
    const health = () => desks.get(channelId)?.health() ?? { state: 'down' };
    const heartbeat = startHeartbeat({ sql: options.sql, lease, leaseMs: LEASE_MS, everyMs: ROUND_MS, health });
    try {
      if (config.status === 'active') await work(config, lease, heartbeat);
      else {
        await giveUpInterrupted(options, lease);
        await giveAway(config, lease, 'is switched off');
      }
    } finally {
      await heartbeat.stop();
      if (!heartbeat.lost.aborted) await releaseLease(options.sql, lease);
      // For whoever opens it next, here or elsewhere. Nobody opens one that is switched off.
      if (config.status === 'active') wake.notify('channels');
    }
  };

  const work = async (config: ChannelConfig, lease: Lease, heartbeat: Heartbeat): Promise<void> => {
    const fault = new AbortController();
    const tally = tallies.get(config.channelId) ?? makeTally(options.now);
    tallies.set(config.channelId, tally);
    const sessionLog = makeSessionLog({ sql: options.sql, lease, now: options.now });
    sessionLog.note('opened', `version ${config.version} of its configuration`);
    const onFault = (error: unknown) => fault.abort(error);
    const desk = await openDesk(options, { config, lease, tally, sessionLog, onFault });
    desks.set(config.channelId, desk);
    const over = AbortSignal.any([stopping.signal, heartbeat.lost, fault.signal]);
    try {
      // Published at once, so that preparing sees the channel up.
      await heartbeat.beat();
      await attend(desk, lease, sessionLog, over);
      if (heartbeat.lost.aborted)
        log.warn({ channel: config.channelNo }, 'another process has taken this channel over');
      else if (fault.signal.aborted) {
        const err = fault.signal.reason;
        log.error({ err, channel: config.channelNo }, 'the channel is closed and will be opened again');
      }
    } finally {
      desks.delete(config.channelId);
      await desk.close();
      sessionLog.note('closed', fault.signal.aborted ? describeFault(fault.signal.reason) : 'in good order');
      await sessionLog.flush();
    }
  };

  /** Until the configuration changes, or somebody ends it: a channel that stays down gives its work away. */
  const attend = async (desk: ChannelDesk, lease: Lease, sessionLog: SessionLog, over: AbortSignal): Promise<void> => {
    let downSince: number | undefined;
    while (!over.aborted) {
      const since = wake.count('channels');
      const config = options.snapshot().channel(desk.config.channelId);
      if (config?.status !== 'active' || config.version !== desk.config.version) return;
      if (desk.channel.health().state !== 'down') downSince = undefined;
      else downSince ??= options.now();
      if (downSince !== undefined && options.now() - downSince > REROUTE_AFTER_MS) {
        await giveAway(desk.config, lease, 'is down').catch((error) => {
          if (error instanceof LeaseLostError) throw error;
          log.warn({ err: error, channel: config.channelNo }, 'the chunks of a channel could not be given away');
        });
      }
      await desk.tend().catch((err) => log.warn({ err, channel: config.channelNo }, 'test messages could not be sent'));
      await sessionLog.flush();
      await wake.wait('channels', since, ROUND_MS, over);
    }
  };

  const giveAway = async (config: ChannelConfig, lease: Lease, why: string): Promise<void> => {
    const moved = await rerouteChannel(options, lease, config);
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
    desks: () => [...desks.values()],
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
