// What this process could not write and tries again, as the operator is told of it.

import type { QuarantinedEvents } from '../../domain/platform.js';

export interface Aside {
  /** Whoever tries something again says what, whenever it is asked for. Returns how to end that. */
  watch(describe: () => readonly QuarantinedEvents[]): () => void;
  /** As much as is worth telling. */
  list(): readonly QuarantinedEvents[];
}

const MAX_TOLD = 100;

export function createAside(): Aside {
  const sources = new Set<() => readonly QuarantinedEvents[]>();
  return {
    watch(describe) {
      sources.add(describe);
      return () => void sources.delete(describe);
    },
    list: () => [...sources].flatMap((describe) => describe()).slice(0, MAX_TOLD),
  };
}
