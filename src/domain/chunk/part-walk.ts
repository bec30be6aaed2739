// Iterates over the parts of a chunk, number by number. The iteration can be paused and continued.

import type { ChunkState } from './chunk-state.js';

export interface PartWalk {
  /** Index of the next byte. */
  at: number;
  /** The number of the last part found, and the position of the part in it, from 1. */
  index: number;
  part: number;
}

export function startWalk(): PartWalk {
  return { at: 0, index: 0, part: 0 };
}

/** Moves to the next part in the wanted state; false if there is none. Called for every part that is sent. */
export function walkOn(walk: PartWalk, { offsets, partStates }: ChunkState, wanted: number): boolean {
  while (walk.at < partStates.length) {
    const at = walk.at;
    walk.at += 1;
    if (partStates[at] !== wanted) continue;
    while ((offsets[walk.index + 1] ?? Number.POSITIVE_INFINITY) <= at) walk.index += 1;
    walk.part = at - (offsets[walk.index] ?? 0) + 1;
    return true;
  }
  return false;
}

/** All parts in the wanted state. */
export function partsIn(state: ChunkState, wanted: number): { readonly index: number; readonly part: number }[] {
  const walk = startWalk();
  const found: { index: number; part: number }[] = [];
  while (walkOn(walk, state, wanted)) found.push({ index: walk.index, part: walk.part });
  return found;
}
