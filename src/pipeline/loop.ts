import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../domain/log.js';
import { isDatabaseAway } from '../store/retry.js';
import type { Topic, Wake } from './wake.js';

export interface LoopOptions {
  readonly name: string;
  readonly wake: Wake;
  readonly topic: Topic;
  /** Work of this one alone; undefined for that of all buckets. */
  readonly bucket?: number;
  /** How long to sleep at most when there is nothing to do. */
  readonly pollMs: number;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Rounds begin at least this far apart, so that work that comes one by one is done many at a time. */
  readonly minIntervalMs?: number;
  /** While there is more to do, rests so many times as long as a round took, for what is more urgent on this machine. */
  readonly rest?: number;
  /** Does what there is to do; true when there may be more at once. */
  step(): Promise<boolean>;
}

const FAULT_PAUSE_MS = 1000;

/** Runs a step whenever there may be work, until aborted. A fault is logged and tried again: work is never given up. */
export async function runLoop(options: LoopOptions): Promise<void> {
  const { wake, topic, bucket, signal } = options;
  let away = false;
  while (!signal.aborted) {
    const since = wake.count(topic, bucket);
    const started = performance.now();
    try {
      const more = await options.step();
      away = false;
      if (more) {
        await pause((options.rest ?? 0) * (performance.now() - started), signal);
        continue;
      }
      await wake.wait(topic, since, options.pollMs, signal, bucket);
      await pause((options.minIntervalMs ?? 0) - (performance.now() - started), signal);
    } catch (error) {
      // The loss of the database is said once, not once a second and loop.
      if (!isDatabaseAway(error)) options.log.error({ err: error }, `${options.name} failed and will be tried again`);
      else if (!away) options.log.warn({ err: error }, `${options.name} waits for the database`);
      away = isDatabaseAway(error);
      await pause(FAULT_PAUSE_MS, signal);
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}
