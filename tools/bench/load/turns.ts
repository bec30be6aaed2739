// Loads that take turns, so that what else the machine does meets all of them.

import type { Figures } from '../figures.js';

export function meanOf(rounds: readonly Figures[]): Figures {
  const names = Object.keys(rounds[0] ?? {}) as (keyof Figures)[];
  const mean = (name: keyof Figures) => rounds.reduce((sum, round) => sum + (round[name] ?? 0), 0) / rounds.length;
  return Object.fromEntries(names.map((name) => [name, mean(name)]));
}

/** The processor time of service and database for a number, which is steadier than the clock, against a base. */
export function compareCosts(base: Figures, other: Figures): Pick<Figures, 'cost_ratio'> {
  const [baseCost, cost] = [base, other].map(({ service_us = 0, database_us = 0 }) => service_us + database_us);
  // A load can be too small to measure.
  return baseCost && cost ? { cost_ratio: baseCost / cost } : {};
}
