// The load of the event loop: the share of recent time in which it was busy.

import { performance } from 'node:perf_hooks';

const INTERVAL_MS = 50;

/** Above this load, others feel what one customer adds. */
export const BUSY_LOAD = 0.7;

/** Between 0 and 1. Measured again at most once per interval, by the first call after it. */
export function createLoopLoad(): () => number {
  let measuredMs = performance.now();
  let mark = performance.eventLoopUtilization();
  let load = 0;
  return () => {
    const nowMs = performance.now();
    if (nowMs - measuredMs < INTERVAL_MS) return load;
    const next = performance.eventLoopUtilization();
    load = performance.eventLoopUtilization(next, mark).utilization;
    [measuredMs, mark] = [nowMs, next];
    return load;
  };
}
