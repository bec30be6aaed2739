import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway, isMachineAway } from '../../store/retry.js';
import { type LoopOptions, runLoop } from './loop.js';

export interface BucketLoopsOptions extends Omit<LoopOptions, 'step' | 'bucket'> {
  /** The current buckets: a bucket is created with its first customer. */
  readonly buckets: () => readonly number[];
  step(bucket: number): Promise<boolean>;
}

const LOOK_MS = 1000;

/**
 * Runs one loop per bucket, so that a machine that is slow or away delays no other bucket. While the whole database is away, one loop
 * tries for all: hundreds of loops would use up the connections.
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
