// Runs long computations on the event loop in slices. Every computation gets one slice at once; the rest waits for further slices, one
// at a time, owners in rotation. After a slice the loop is free for at least as long, longer the busier it is. However much one
// customer has to compute, others wait for one slice at most, and at least half of the loop is free.

import type { Steps } from '../../domain/steps.js';
import { createLoopLoad } from './loop-load.js';

export interface Slicer {
  /** Resolves with the result of the steps, or rejects with their error. */
  run<Result>(owner: string, steps: Steps<Result>): Promise<Result>;
  /** How many computations of this owner wait for a slice. */
  waiting(owner: string): number;
}

const SLICE_MS = 2;
/** The longest rest, in slices: on a busy loop a quarter of the time is for slices. */
const MAX_REST = 3;

/** One per process, as there is one event loop. Owners are customer ids, and all operators together. */
export const slicer = createSlicer(() => performance.now());

interface Computation {
  /** Computes for one slice; returns true when done. */
  advance(): boolean;
}

export function createSlicer(now: () => number, load: () => number = createLoopLoad()): Slicer {
  /** The first owner computes next. */
  const queues = new Map<string, Computation[]>();
  let isScheduled = false;

  const schedule = (restMs: number): void => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(runNext, restMs);
  };

  const runNext = (): void => {
    isScheduled = false;
    const [next] = queues;
    if (next === undefined) return;
    const [owner, computations] = next;
    const startedMs = now();
    if (computations[0]?.advance()) computations.shift();
    // Moved to the end of the rotation.
    queues.delete(owner);
    if (computations.length > 0) queues.set(owner, computations);
    if (queues.size > 0) schedule((now() - startedMs) * Math.min(MAX_REST, 1 / (1 - load())));
  };

  return {
    run: (owner, steps) =>
      new Promise((resolve, reject) => {
        const advance = (): boolean => {
          const endMs = now() + SLICE_MS;
          try {
            do {
              const step = steps.next();
              if (!step.done) continue;
              resolve(step.value);
              return true;
            } while (now() < endMs);
            return false;
          } catch (error) {
            reject(error);
            return true;
          }
        };
        if (advance()) return;
        const computations = queues.get(owner);
        if (computations === undefined) queues.set(owner, [{ advance }]);
        else computations.push({ advance });
        schedule(SLICE_MS);
      }),
    waiting: (owner) => queues.get(owner)?.length ?? 0,
  };
}
