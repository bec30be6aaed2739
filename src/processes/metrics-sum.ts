// The metrics of all processes of a machine as one. Counters of a process that ended stay in the sum: one that falls looks to
// Prometheus like a restart, and its rate would jump by everything counted before.

import { AggregatorRegistry, type Registry } from 'prom-client';
import type { MetricsJson } from './protocol.js';

export interface MetricsSource {
  /** Names the process among all that there were. */
  readonly id: number;
  read(): Promise<MetricsJson>;
}

export interface MetricsSum {
  /** In the text format. A process that does not answer is represented by its last answer. */
  read(sources: readonly MetricsSource[], own: Registry): Promise<string>;
  /** The process has ended. */
  end(id: number): Promise<void>;
}

/** What only grows. */
const COUNTED: ReadonlySet<string> = new Set(['counter', 'histogram']);

export function createMetricsSum(): MetricsSum {
  const last = new Map<number, MetricsJson>();
  let ended: MetricsJson = [];

  return {
    async read(sources, own) {
      await Promise.all(
        sources.map(async ({ id, read }) => {
          const metrics = await read().catch(() => undefined);
          if (metrics !== undefined) last.set(id, metrics);
        }),
      );
      return await sum([ended, ...last.values(), await own.getMetricsAsJSON()]).metrics();
    },
    async end(id) {
      const metrics = last.get(id);
      last.delete(id);
      if (metrics === undefined) return;
      const counted = metrics.filter(({ type }) => COUNTED.has(String(type)));
      ended = await sum([ended, counted]).getMetricsAsJSON();
    },
  };
}

function sum(all: readonly MetricsJson[]): Registry {
  return AggregatorRegistry.aggregate(all.map((metrics) => [...metrics]));
}
