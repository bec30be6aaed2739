import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway, isMachineAway } from '../store/retry.js';
import { type LoopOptions, runLoop } from './loop.js';

export interface BucketLoopsOptions extends Omit<LoopOptions, 'step' | 'bucket'> {
  /** Those there are: a bucket comes with its first customer. */
  readonly buckets: () => readonly number[];
  step(bucket: number): Promise<boolean>;
}

const LOOK_MS = 1000;

/**
 * A loop for every bucket, side by side: one whose machine is slow or away holds up no other. While the whole database is away one
 * of them tries for all: hundreds of loops that wait for a connection would leave none to those who must be told.
 */
export async function runBucketLoops({ buckets, step, ...options }: BucketLoopsOptions): Promise<void> {
  const loops = new Map<number, Promise<void>>();
  let scout: number | undefined;
  const stepUnlessAway = async (bucket: number): Promise<boolean> => {
    if (scout !== undefined && scout !== bucket) return false;
    try {
      const more = await step(bucket);
      if (scout === bucket) isBack();
      return more;
    } catch (error) {
      if (isDatabaseAway(error) && !isMachineAway(error)) scout ??= bucket;
      else if (scout === bucket) isBack();
      throw error;
    }
  };
  const isBack = (): void => {
    scout = undefined;
    options.wake.notifyLocal(options.topic);
  };
  // Every loop listens to it.
  setMaxListeners(0, options.signal);
  while (!options.signal.aborted) {
    for (const bucket of buckets()) {
      if (!loops.has(bucket)) loops.set(bucket, runLoop({ ...options, bucket, step: () => stepUnlessAway(bucket) }));
    }
    await sleep(LOOK_MS, undefined, { signal: options.signal }).catch(() => undefined);
  }
  await Promise.all(loops.values());
}
