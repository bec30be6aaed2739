// The walk over the parts of a chunk, number by number. It can be left and gone on with.

import type { ChunkState } from './chunk-state.js';

export interface PartWalk {
  /** Of the next byte to look at. */
  at: number;
  /** The number that the last part found belongs to, and which of its parts that is, from 1. */
  index: number;
  part: number;
}

export function startWalk(): PartWalk {
  return { at: 0, index: 0, part: 0 };
}

/** Goes to the next part that stands as wanted; false when there is none. Called for every part that is sent. */
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

/** All parts that stand as wanted: the place of the number in the chunk, and the part of it. */
export function partsIn(state: ChunkState, wanted: number): { readonly index: number; readonly part: number }[] {
  const walk = startWalk();
  const found: { index: number; part: number }[] = [];
  while (walkOn(walk, state, wanted)) found.push({ index: walk.index, part: walk.part });
  return found;
}
