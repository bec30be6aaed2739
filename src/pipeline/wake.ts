// Wakes sleeping loops the moment there is work: in this process directly, in others by NOTIFY. A lost wake costs a poll
// interval, never work: every loop also looks by itself from time to time. Work of one bucket wakes the loops of that bucket and
// those that serve all of them.

import type { Sql } from '../store/connect.js';

export const TOPICS = [
  'prepare',
  'prepare-large',
  'refreeze',
  'dispatch',
  'channels',
  'sweep',
  'schedule',
  'sum',
  'upkeep',
  'push',
  'callbacks',
] as const;
export type Topic = (typeof TOPICS)[number];

export interface Wake {
  /** To be called after the commit that made the work. */
  notify(topic: Topic, bucket?: number): void;
  /** Tells those in this process who listen which customers the work is of. */
  hint(topic: Topic, customerIds: readonly bigint[]): void;
  /** Calls back with the customers hinted at. Returns how to stop listening. */
  onHint(topic: Topic, listener: (customerIds: readonly bigint[]) => void): () => void;
  /** The same for this process alone. */
  notifyLocal(topic: Topic, bucket?: number): void;
  /** Resolves at the next notification of the topic that came after `since`, after the time given, or when aborted. */
  wait(topic: Topic, since: number, timeoutMs: number, signal: AbortSignal, bucket?: number): Promise<void>;
  /** How often the topic was notified: taken before looking for work, so that what arrives meanwhile is not slept over. */
  count(topic: Topic, bucket?: number): number;
  stop(): Promise<void>;
}

/** To notifyLocal it is news for no bucket, and what it counts is the news for all of them. */
export const NO_BUCKET = -1;

const NOTIFY_CHANNEL = 'postrider';
/** Other processes need no more than a few nudges a second. */
const NOTIFY_INTERVAL_MS = 20;
/** What is told at once has a limit; work in more buckets than these is work in all of them. */
const MAX_BUCKETS_TOLD = 64;

export async function startWake(options: {
  readonly sql: Sql;
  /** False behind a pooler that cannot carry LISTEN: other processes then notice work by polling. */
  readonly listen: boolean;
  readonly warn: (error: unknown) => void;
}): Promise<Wake> {
  /** By topic, and by topic and bucket. */
  const counts = new Map<string, number>();
  const sleepers = new Set<{ topic: Topic; bucket: number | undefined; notifyLocal: () => void }>();
  const listeners = new Set<{ readonly topic: Topic; readonly listener: (customerIds: readonly bigint[]) => void }>();
  const pending = new Map<Topic, Set<number | undefined>>();
  let timer: NodeJS.Timeout | undefined;

  const add = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  const count = (topic: Topic, bucket?: number): number =>
    bucket === undefined
      ? (counts.get(topic) ?? 0)
      : (counts.get(nameWork(topic)) ?? 0) + (counts.get(nameWork(topic, bucket)) ?? 0);
  const notifyLocal = (topic: Topic, bucket?: number): void => {
    add(topic);
    add(nameWork(topic, bucket));
    for (const sleeper of sleepers) {
      const isMeant = bucket === undefined || sleeper.bucket === undefined || sleeper.bucket === bucket;
      if (sleeper.topic === topic && isMeant) sleeper.notifyLocal();
    }
  };
  const tellOthers = async (): Promise<void> => {
    timer = undefined;
    const topics = [...pending].flatMap(describeWork).join(',');
    pending.clear();
    await options.sql`select pg_notify(${NOTIFY_CHANNEL}, ${topics})`.catch(options.warn);
  };
  const listening = options.listen
    ? await options.sql.listen(NOTIFY_CHANNEL, (payload) => {
        for (const work of payload.split(',')) {
          const [name, bucket] = work.split(':');
          const topic = TOPICS.find((known) => known === name);
          if (topic !== undefined) notifyLocal(topic, bucket === undefined ? undefined : Number(bucket));
        }
      })
    : undefined;

  return {
    notify(topic, bucket) {
      notifyLocal(topic, bucket);
      if (!options.listen) return;
      const buckets = pending.get(topic) ?? new Set();
      pending.set(topic, buckets.add(bucket));
      timer ??= setTimeout(tellOthers, NOTIFY_INTERVAL_MS);
    },
    hint(topic, customerIds) {
      for (const { topic: wanted, listener } of listeners) if (wanted === topic) listener(customerIds);
    },
    onHint(topic, listener) {
      const entry = { topic, listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    notifyLocal,
    wait: (topic, since, timeoutMs, signal, bucket) =>
      new Promise((resolve) => {
        if (signal.aborted || count(topic, bucket) !== since) return resolve();
        const done = () => {
          clearTimeout(timeout);
          signal.removeEventListener('abort', done);
          sleepers.delete(sleeper);
          resolve();
        };
        const timeout = setTimeout(done, timeoutMs);
        const sleeper = { topic, bucket, notifyLocal: done };
        sleepers.add(sleeper);
        signal.addEventListener('abort', done);
      }),
    count,
    async stop() {
      clearTimeout(timer);
      // What this process lets go of when it stops, others take up at once.
      if (pending.size > 0) await tellOthers();
      await listening?.unlisten().catch(options.warn);
    },
  };
}

/** Of a bucket, or of whichever. */
function nameWork(topic: Topic, bucket?: number): string {
  return `${topic}:${bucket ?? ''}`;
}

function describeWork([topic, buckets]: [Topic, ReadonlySet<number | undefined>]): string[] {
  if (buckets.has(undefined) || buckets.size > MAX_BUCKETS_TOLD) return [topic];
  return [...buckets].map((bucket) => nameWork(topic, bucket));
}
