// The sign of life of a channel's owner. Each channel has its own, so that one whose renewal is stuck loses no other.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Lease, renewLease } from '../../store/channel-lease.js';
import type { Sql } from '../../store/connect.js';

export interface Heartbeat {
  /** Aborted when another process has taken the channel over. */
  readonly lost: AbortSignal;
  /** Renews at once and publishes the health. */
  beat(): Promise<void>;
  stop(): Promise<void>;
}

export interface HeartbeatOptions {
  readonly sql: Sql;
  readonly lease: Lease;
  readonly leaseMs: number;
  readonly everyMs: number;
  readonly health: () => object;
}

export function startHeartbeat({ sql, lease, leaseMs, everyMs, health }: HeartbeatOptions): Heartbeat {
  const lost = new AbortController();
  const stopping = new AbortController();

  const beat = async (): Promise<void> => {
    const renewing = renewLease(sql, lease, leaseMs, health());
    renewing.catch(() => undefined);
    // A renewal that gets no answer is not waited for: the next one may get it, on another connection.
    const isHeld = await Promise.race([renewing, sleep(leaseMs / 3, true, { signal: stopping.signal })]);
    if (!isHeld) lost.abort();
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted && !lost.signal.aborted) {
      // While the database is away nobody else can take the channel either.
      await beat().catch(() => undefined);
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();

  return {
    lost: lost.signal,
    beat,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
