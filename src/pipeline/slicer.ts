// Runs long computations on the event loop without holding it. Every computation gets one slice at once; what is left waits
// for further slices, one at a time over all owners, owners in turn. After a slice the loop belongs to everything else for at
// least as long, and for longer the busier it is. However much one customer has to compute, others wait for one slice, and at
// least half of the loop is theirs.

import type { Steps } from '../domain/steps.js';
import { createLoopLoad } from './loop-load.js';

export interface Slicer {
  /** The result of the steps, or their error. */
  run<Result>(owner: string, steps: Steps<Result>): Promise<Result>;
  /** How many computations of this owner wait for a slice. */
  waiting(owner: string): number;
}

const SLICE_MS = 2;
/** Rests are at most so many times as long as the slice: a quarter of a busy loop is left for slices. */
const MAX_REST = 3;

/** One for the process, as there is one event loop. Owners are customers, by their id, and the operators together. */
export const slicer = createSlicer(() => performance.now());

interface Job {
  /** Computes for the length of a slice; true when it is done. */
  advance(): boolean;
}

export function createSlicer(now: () => number, load: () => number = createLoopLoad()): Slicer {
  /** The first owner is the next to compute. */
  const queues = new Map<string, Job[]>();
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
    const [owner, jobs] = next;
    const startedMs = now();
    if (jobs[0]?.advance()) jobs.shift();
    // Set anew behind the others.
    queues.delete(owner);
    if (jobs.length > 0) queues.set(owner, jobs);
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
        const jobs = queues.get(owner);
        if (jobs === undefined) queues.set(owner, [{ advance }]);
        else jobs.push({ advance });
        schedule(SLICE_MS);
      }),
    waiting: (owner) => queues.get(owner)?.length ?? 0,
  };
}
