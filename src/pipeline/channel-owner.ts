// Ownership: each channel is spoken for by exactly one process. A process takes what nobody owns, renews what it has, and
// lets go of what it lost, of what was switched off, and of everything when it stops.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ChannelConfig } from '../domain/entities/channel.js';
import { acquireLease, type Lease, LeaseLostError, releaseLease, renewLease } from '../store/channel-lease.js';
import { type ChannelDesk, type DeskOptions, giveUpInterrupted, openDesk } from './channel-desk.js';
import { rerouteChannel } from './reroute.js';

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
  const { sql, wake, log } = options;
  const desks = new Map<bigint, ChannelDesk>();
  const downSince = new Map<bigint, number>();
  const opening = new Set<bigint>();
  const leaving = new Set<bigint>();
  const closing = new Set<bigint>();
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();
  const unsubscribe = options.onConfigChange(() => wake.notify('channels'));

  const round = async (): Promise<void> => {
    const configured = new Map(
      options
        .snapshot()
        .channels()
        .map((config) => [config.channelId, config]),
    );
    await Promise.all([...desks.values()].map((desk) => tend(desk, configured.get(desk.config.channelId))));
    if (stopping.signal.aborted) return;
    for (const config of configured.values()) track(takeOrSkip(config));
  };

  /** Opening and closing take as long as the upstream and the database do; renewing the other leases must not wait. */
  const track = (work: Promise<void>): void => {
    const warn = (err: unknown) => log.warn({ err }, 'tending a channel failed and will be tried again');
    const tracked: Promise<void> = work.catch(warn).finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  /** Renews, reopens after a change, or lets go. */
  const tend = async (desk: ChannelDesk, config: ChannelConfig | undefined): Promise<void> => {
    const { channelId } = desk.config;
    if (config?.status !== 'active' || config.version !== desk.config.version) {
      track(letGo(desk, true));
      return;
    }
    if (!(await renewLease(sql, desk.lease, LEASE_MS, desk.health()))) {
      log.warn({ channel: desk.config.channelNo }, 'another process has taken this channel over');
      track(letGo(desk, false));
      return;
    }
    if (desk.channel.health().state !== 'down') downSince.delete(channelId);
    else if (!downSince.has(channelId)) downSince.set(channelId, options.now());
    else if (options.now() - (downSince.get(channelId) ?? 0) > REROUTE_AFTER_MS) track(giveAway(desk));
  };

  /** The desk is closed around the move, so that nothing of what moves is still in its hands. */
  const giveAway = async (desk: ChannelDesk): Promise<void> => {
    const { channelId } = desk.config;
    if (leaving.has(channelId)) return;
    leaving.add(channelId);
    try {
      const moved = await rerouteChannel(options, desk.lease, desk.config);
      if (moved === 0) return;
      log.warn({ channel: desk.config.channelNo, chunks: moved }, 'the channel is down; its chunks go by others');
      await letGo(desk, true);
      wake.notify('dispatch');
    } finally {
      leaving.delete(channelId);
    }
  };

  const takeOrSkip = async (config: ChannelConfig): Promise<void> => {
    const { channelId } = config;
    if (desks.has(channelId) || opening.has(channelId) || closing.has(channelId)) return;
    opening.add(channelId);
    try {
      const lease = await acquireLease(sql, channelId, options.owner, LEASE_MS);
      if (lease !== undefined) await take(config, lease);
    } finally {
      opening.delete(channelId);
    }
  };

  const take = async (config: ChannelConfig, lease: Lease): Promise<void> => {
    const renewing = keepAlive(lease);
    try {
      if (config.status !== 'active') {
        await giveUpInterrupted(options, lease);
        if ((await rerouteChannel(options, lease, config)) > 0) wake.notify('dispatch');
        await releaseLease(sql, lease);
        return;
      }
      const fail = (error: unknown) => void drop(config.channelId, error);
      desks.set(config.channelId, await openDesk(options, config, lease, fail));
    } catch (error) {
      await releaseLease(sql, lease).catch(() => undefined);
      throw error;
    } finally {
      renewing.abort();
    }
    // Published at once, so that preparing sees the channel up.
    const health = desks.get(config.channelId)?.health();
    if (health !== undefined) await renewLease(sql, lease, LEASE_MS, health);
  };

  const letGo = async (desk: ChannelDesk, orderly: boolean): Promise<void> => {
    const { channelId } = desk.config;
    desks.delete(channelId);
    downSince.delete(channelId);
    closing.add(channelId);
    const renewing = orderly ? keepAlive(desk.lease) : undefined;
    try {
      await desk.close();
      if (orderly) await releaseLease(sql, desk.lease);
    } finally {
      renewing?.abort();
      closing.delete(channelId);
    }
  };

  /** Opening reads what is outstanding and closing waits for answers, which may take longer than the lease lasts. */
  const keepAlive = (lease: Lease): AbortController => {
    const done = new AbortController();
    const renew = async (): Promise<void> => {
      while (!done.signal.aborted) {
        await sleep(ROUND_MS, undefined, { signal: done.signal }).catch(() => undefined);
        if (!done.signal.aborted) await renewLease(sql, lease, LEASE_MS, { state: 'down' }).catch(() => undefined);
      }
    };
    void renew();
    return done;
  };

  const drop = async (channelId: bigint, error: unknown): Promise<void> => {
    const desk = desks.get(channelId);
    if (desk === undefined) return;
    const lost = error instanceof LeaseLostError;
    log.error({ err: error, channel: desk.config.channelNo }, 'the channel is closed and will be opened again');
    await letGo(desk, !lost).catch((err) => log.error({ err }, 'a channel could not be closed cleanly'));
    wake.notify('channels');
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const since = wake.count('channels');
      try {
        await round();
      } catch (error) {
        log.warn({ err: error }, 'tending the channels failed and will be tried again');
      }
      await wake.wait('channels', since, ROUND_MS, stopping.signal);
    }
  };
  const running = run();

  return {
    desks: () => [...desks.values()],
    async stop() {
      if (stopping.signal.aborted) return running;
      stopping.abort();
      unsubscribe();
      await running;
      while (underWay.size > 0) await Promise.all(underWay);
      await Promise.all([...desks.values()].map((desk) => letGo(desk, true)));
      wake.notify('channels');
    },
  };
}
