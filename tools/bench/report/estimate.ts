// Estimates the duration of a run, before it starts and while it runs.

import type { Scenario } from '../bench.js';

/** Starting and stopping a service takes its time at any scale. */
const LEAST_S = 10;
const MINUTE_S = 60;

/** What each took the last time on this machine at this scale; before that, what it takes on two processors. */
export function estimateSeconds(
  scenarios: readonly Scenario[],
  scale: number,
  last: ReadonlyMap<string, number>,
): number {
  return scenarios.reduce((sum, { name, usualS }) => sum + (last.get(name) ?? LEAST_S + usualS * scale), 0);
}

export function describeSeconds(seconds: number): string {
  if (seconds < 2 * MINUTE_S) return `${Math.ceil(seconds)} s`;
  return `${Math.ceil(seconds / MINUTE_S)} minutes`;
}
