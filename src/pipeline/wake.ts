// Wakes sleeping loops as soon as there is work: directly in this process, by NOTIFY in others. A lost notification delays work
// until the next poll and loses none. Work of one bucket wakes the loops of that bucket and the loops that serve all buckets.

import type { QueueKey } from '../domain/rules/queue-place.js';
import type { Sql } from '../store/sql.js';

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
  /** Wakes the loops of this process and of all others. Call it after the commit that created the work. */
  notify(topic: Topic, bucket?: number): void;
  /** Wakes the loops of this process only. */
  notifyLocal(topic: Topic, bucket?: number): void;
  /** Says which queues got chunks, to the channels of this process: they load these queues first. */
  hintQueues(queues: readonly QueueKey[]): void;
  /** Returns a function that unsubscribes. */
  onQueueHint(listener: (queues: readonly QueueKey[]) => void): () => void;
  /** Resolves when `count` differs from `since`, after the timeout, or when aborted. */
  wait(topic: Topic, since: number, timeoutMs: number, signal: AbortSignal, bucket?: number): Promise<void>;
  /** How often the topic was notified. Read it before looking for work: `wait` then returns at once if more arrived since. */
  count(topic: Topic, bucket?: number): number;
  stop(): Promise<void>;
}

/** A bucket that does not exist. Notifying it wakes only loops that serve all buckets; its count is of notifications without a bucket. */
export const NO_BUCKET = -1;

const NOTIFY_CHANNEL = 'postrider';
/** Debounces notifications to other processes. */
const NOTIFY_INTERVAL_MS = 20;
/** The payload of a NOTIFY is limited: a notification of more buckets names none and wakes all. */
const MAX_BUCKETS_NOTIFIED = 64;

export async function startWake(options: {
  readonly sql: Sql;
  /** False behind a pooler that cannot carry LISTEN: other processes then notice work by polling. */
  readonly listen: boolean;
  readonly warn: (error: unknown) => void;
}): Promise<Wake> {
  /** By topic, and by topic and bucket. */
  const counts = new Map<string, number>();
  const sleepers = new Set<{ topic: Topic; bucket: number | undefined; wakeUp: () => void }>();
  const queueListeners = new Set<(queues: readonly QueueKey[]) => void>();
  const pending = new Map<Topic, Set<number | undefined>>();
  let timer: NodeJS.Timeout | undefined;

  const add = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  const count = (topic: Topic, bucket?: number): number =>
    bucket === undefined
      ? (counts.get(topic) ?? 0)
      : (counts.get(workKey(topic)) ?? 0) + (counts.get(workKey(topic, bucket)) ?? 0);
  const notifyLocal = (topic: Topic, bucket?: number): void => {
    add(topic);
    add(workKey(topic, bucket));
    for (const sleeper of sleepers) {
      const isSameBucket = bucket === undefined || sleeper.bucket === undefined || sleeper.bucket === bucket;
      if (sleeper.topic === topic && isSameBucket) sleeper.wakeUp();
    }
  };
  const notifyOthers = async (): Promise<void> => {
    timer = undefined;
    const topics = [...pending].flatMap(workKeysOf).join(',');
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
      timer ??= setTimeout(notifyOthers, NOTIFY_INTERVAL_MS);
    },
    notifyLocal,
    hintQueues(queues) {
      for (const listener of queueListeners) listener(queues);
    },
    onQueueHint(listener) {
      queueListeners.add(listener);
      return () => void queueListeners.delete(listener);
    },
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
        const sleeper = { topic, bucket, wakeUp: done };
        sleepers.add(sleeper);
        signal.addEventListener('abort', done);
      }),
    count,
    async stop() {
      clearTimeout(timer);
      // Other processes take over the work of this one at once.
      if (pending.size > 0) await notifyOthers();
      await listening?.unlisten().catch(options.warn);
    },
  };
}

/** Without a bucket: the key of notifications that name none. */
function workKey(topic: Topic, bucket?: number): string {
  return `${topic}:${bucket ?? ''}`;
}

function workKeysOf([topic, buckets]: [Topic, ReadonlySet<number | undefined>]): string[] {
  if (buckets.has(undefined) || buckets.size > MAX_BUCKETS_NOTIFIED) return [topic];
  return [...buckets].map((bucket) => workKey(topic, bucket));
}
