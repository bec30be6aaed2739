// Reports that match no part yet, in memory: by every message key that they may stand for. The table `orphan_delivery` holds
// them all; this holds the newest, which are the ones that a part still turns up for.

import type { Report } from '../channels/channel.js';

export interface KeptReport {
  readonly report: Report;
  /** When it came, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Resolves when the report is stored. */
  readonly stored: Promise<bigint>;
}

export interface KeptReports {
  add(kept: KeptReport, keys: readonly string[]): void;
  remove(kept: KeptReport): void;
  /** All reports under a key, oldest first: an intermediate one may have come before the final one. */
  find(key: string): readonly KeptReport[];
  filter(isWanted: (kept: KeptReport) => boolean): KeptReport[];
}

export function makeKeptReports(limit: number): KeptReports {
  const keysOf = new Map<KeptReport, readonly string[]>();
  const byKey = new Map<string, Set<KeptReport>>();

  const remove = (kept: KeptReport): void => {
    for (const key of keysOf.get(kept) ?? []) {
      const others = byKey.get(key);
      others?.delete(kept);
      if (others?.size === 0) byKey.delete(key);
    }
    keysOf.delete(kept);
  };

  return {
    add(kept, keys) {
      keysOf.set(kept, keys);
      for (const key of keys) byKey.set(key, (byKey.get(key) ?? new Set()).add(kept));
      const [oldest] = keysOf.size > limit ? keysOf.keys() : [];
      if (oldest !== undefined) remove(oldest);
    },
    remove,
    find: (key) => [...(byKey.get(key) ?? [])],
    filter: (isWanted) => [...keysOf.keys()].filter(isWanted),
  };
}
