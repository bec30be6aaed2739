import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoopOptions, runLoop } from './loop.js';

export interface BucketLoopsOptions extends Omit<LoopOptions, 'step' | 'bucket'> {
  /** Those there are: a bucket comes with its first customer. */
  readonly buckets: () => readonly number[];
  step(bucket: number): Promise<boolean>;
}

const LOOK_MS = 1000;

/** A loop for every bucket, side by side: one whose machine is slow or away holds up no other. */
export async function runBucketLoops({ buckets, step, ...options }: BucketLoopsOptions): Promise<void> {
  const loops = new Map<number, Promise<void>>();
  // Every loop listens to it.
  setMaxListeners(0, options.signal);
  while (!options.signal.aborted) {
    for (const bucket of buckets()) {
      if (!loops.has(bucket)) loops.set(bucket, runLoop({ ...options, bucket, step: () => step(bucket) }));
    }
    await sleep(LOOK_MS, undefined, { signal: options.signal }).catch(() => undefined);
  }
  await Promise.all(loops.values());
}
