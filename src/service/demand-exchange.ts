// Tells the other machines every second what this one was asked for, while a customer comes near its limit.

import { setTimeout as sleep } from 'node:timers/promises';
import type { RateShares } from '../http/limits/rate-share.js';
import { exchangeDemands, removeDemands } from '../store/request-demand.js';
import type { Sql } from '../store/sql.js';

export interface DemandExchangeOptions {
  readonly sql: Sql;
  /** Names this machine among others. */
  readonly node: string;
  readonly shares: Pick<RateShares, 'takeDemands' | 'setOthers'>;
}

const INTERVAL_MS = 1000;
/** A database that does not answer must not delay the stop; the row is ignored after three seconds. */
const REMOVE_LIMIT_MS = 1000;

export function startDemandExchange({ sql, node, shares }: DemandExchangeOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let isPublished = false;

  const exchange = async (): Promise<void> => {
    const demands = shares.takeDemands();
    // A machine at rest asks nothing. Its last demand is taken back once.
    if (demands.size === 0 && !isPublished) return shares.setOthers([]);
    isPublished = demands.size > 0;
    shares.setOthers(await exchangeDemands(sql, node, demands));
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sleep(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      // Without the database no other machine accepts anything either.
      if (!stopping.signal.aborted) await exchange().catch(() => shares.setOthers([]));
    }
  };
  const running = run();

  return {
    async stop() {
      stopping.abort();
      const removed = running.then(() => removeDemands(sql, node)).catch(() => undefined);
      await Promise.race([removed, sleep(REMOVE_LIMIT_MS, undefined, { ref: false })]);
    },
  };
}
