import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../domain/log.js';
import { isDatabaseAway } from '../../store/retry.js';
import type { Topic, Wake } from '../wake.js';

export interface LoopOptions {
  readonly name: string;
  readonly wake: Wake;
  readonly topic: Topic;
  /** The bucket of this loop; undefined for all buckets. */
  readonly bucket?: number;
  /** The longest sleep when there is nothing to do. */
  readonly pollMs: number;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Shortest time between the starts of rounds, so that work is batched. */
  readonly minIntervalMs?: number;
  /** While there is more to do, rests this many times as long as a round took, to leave the machine to urgent work. */
  readonly rest?: number;
  /** Does one round; returns true if there may be more to do at once. */
  step(): Promise<boolean>;
}

const FAULT_PAUSE_MS = 1000;

/** Runs a step whenever there may be work, until aborted. An error is logged and the step is retried. */
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
      // The loss of the database is logged once, not once a second per loop.
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
