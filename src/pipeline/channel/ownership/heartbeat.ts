// Renews the lease of a channel. Each channel has its own heartbeat, so that a stuck renewal does not cost other channels their lease.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lease, type LeaseTimes, renewLease } from '../../../store/channel/channel-lease.js';
import type { Sql } from '../../../store/sql.js';

export interface Heartbeat {
  /** Aborted when another process has taken the channel over. */
  readonly lost: AbortSignal;
  /** Renews at once and publishes the health. */
  beat(): Promise<void>;
  stop(): Promise<void>;
}

export interface HeartbeatOptions extends LeaseTimes {
  readonly sql: Sql;
  readonly lease: Lease;
  readonly everyMs: number;
  readonly health: () => object;
}

/** Of the lease. A renewal that waits for a lock fails sooner than this, so a renewal without an answer has lost its connection. */
const PATIENCE_SHARE = 1 / 3;

export function startHeartbeat({ sql, lease, leaseMs, steadyMs, everyMs, health }: HeartbeatOptions): Heartbeat {
  const lost = new AbortController();
  const stopping = new AbortController();
  const stopped = once(stopping.signal, 'abort');
  const underWay = new Set<Promise<unknown>>();
  let last = Promise.resolve();

  /**
   * One renewal at a time, because each holds a connection of the pool. If one gets no answer, a second is sent on another
   * connection, and a third only when one of the two has ended.
   */
  const renew = async (): Promise<void> => {
    if (underWay.size > 1) await Promise.race([...underWay, stopped]);
    const renewing = renewLease(sql, lease, { leaseMs, steadyMs }, health());
    const ended: Promise<unknown> = renewing.catch(() => undefined).finally(() => underWay.delete(ended));
    underWay.add(ended);
    const patience = sleep(leaseMs * PATIENCE_SHARE, true, { signal: stopping.signal });
    const isHeld = await Promise.race([renewing, patience]);
    if (!isHeld) lost.abort();
  };

  const beat = (): Promise<void> => {
    last = last.then(renew, renew);
    return last;
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted && !lost.signal.aborted) {
      // Without the database no other process can take over the channel either.
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
