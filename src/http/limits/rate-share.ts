// One limit over several machines. Each machine publishes the requests per second that it was asked for, every second, and takes
// the part of the limit that its demand and the demand of the others leave it.

import type { LimitShare } from './rate-limit.js';

export interface RateShares extends LimitShare {
  /** The requests per second of each key since the last call. Keys far below their limit are left out. */
  takeDemands(): ReadonlyMap<string, number>;
  /** The demands of each of the other machines. */
  setOthers(others: readonly ReadonlyMap<string, number>[]): void;
}

/** Of its limit. A demand below it is not published, so each further machine may add this much to what a customer gets. */
const LEAST_DEMAND = 1 / 20;
/** The busiest keys are enough: more would make the exchange itself a load. */
const MAX_DEMANDS = 1000;

interface Count {
  asked: number;
  readonly perSecond: number;
}

/** `now` must not go backwards. */
export function createRateShares(now: () => number): RateShares {
  let counts = new Map<string, Count>();
  let sinceMs = now();
  let demands: ReadonlyMap<string, number> = new Map();
  let others: readonly ReadonlyMap<string, number>[] = [];
  return {
    count(key, perSecond, asked) {
      const count = counts.get(key);
      if (count === undefined) counts.set(key, { asked, perSecond });
      else count.asked += asked;
    },
    perSecondOf(key, limit) {
      if (others.length === 0) return limit;
      const demanded = others.flatMap((of) => of.get(key) ?? []);
      return demanded.length === 0 ? limit : shareOf(limit, demands.get(key) ?? 0, demanded);
    },
    takeDemands() {
      const seconds = (now() - sinceMs) / 1000;
      sinceMs = now();
      const rates = [...counts].flatMap(([key, { asked, perSecond }]): [string, number][] =>
        asked / seconds < perSecond * LEAST_DEMAND ? [] : [[key, Math.ceil(asked / seconds)]],
      );
      counts = new Map();
      demands = new Map(rates.sort((one, other) => other[1] - one[1]).slice(0, MAX_DEMANDS));
      return demands;
    },
    setOthers(next) {
      others = next;
    },
  };
}

/**
 * The part of a limit for a machine with this demand. Machines that want little get it, and the others share the rest evenly, so
 * that all machines compute parts that add up to the limit. Never less than an even part: requests may come here any time.
 */
export function shareOf(limit: number, own: number, others: readonly number[]): number {
  const even = limit / (others.length + 1);
  const left = limit - others.reduce((sum, demand) => sum + demand, 0);
  if (own <= left) return Math.max(even, left);
  const demands = [own, ...others].sort((one, other) => one - other);
  let rest = limit;
  for (const [index, demand] of demands.entries()) {
    const level = rest / (demands.length - index);
    if (demand >= level) return level;
    rest -= demand;
  }
  return rest;
}
