// Wakes sleeping loops the moment there is work: in this process directly, in others by NOTIFY. A lost wake costs a poll
// interval, never work: every loop also looks by itself from time to time.

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
] as const;
export type Topic = (typeof TOPICS)[number];

export interface Wake {
  /** To be called after the commit that made the work. */
  notify(topic: Topic): void;
  /** Tells those in this process who listen which customers the work is of. */
  hint(topic: Topic, customerIds: readonly bigint[]): void;
  /** Calls back with the customers hinted at. Returns how to stop listening. */
  onHint(topic: Topic, listener: (customerIds: readonly bigint[]) => void): () => void;
  /** The same for this process alone. */
  rouse(topic: Topic): void;
  /** Resolves at the next notification of the topic that came after `since`, after the time given, or when aborted. */
  wait(topic: Topic, since: number, timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** How often the topic was notified: taken before looking for work, so that what arrives meanwhile is not slept over. */
  count(topic: Topic): number;
  stop(): Promise<void>;
}

const NOTIFY_CHANNEL = 'postrider';
/** Other processes need no more than a few nudges a second. */
const NOTIFY_INTERVAL_MS = 20;

export async function startWake(options: {
  readonly sql: Sql;
  /** False behind a pooler that cannot carry LISTEN: other processes then notice work by polling. */
  readonly listen: boolean;
  readonly warn: (error: unknown) => void;
}): Promise<Wake> {
  const counts = Object.fromEntries(TOPICS.map((topic) => [topic, 0])) as Record<Topic, number>;
  const sleepers = new Set<{ topic: Topic; rouse: () => void }>();
  const hearers = new Set<{ readonly topic: Topic; readonly listener: (customerIds: readonly bigint[]) => void }>();
  const pending = new Set<Topic>();
  let timer: NodeJS.Timeout | undefined;

  const rouse = (topic: Topic): void => {
    counts[topic] += 1;
    for (const sleeper of sleepers) if (sleeper.topic === topic) sleeper.rouse();
  };
  const tellOthers = async (): Promise<void> => {
    timer = undefined;
    const topics = [...pending].join(',');
    pending.clear();
    await options.sql`select pg_notify(${NOTIFY_CHANNEL}, ${topics})`.catch(options.warn);
  };
  const listening = options.listen
    ? await options.sql.listen(NOTIFY_CHANNEL, (payload) => {
        for (const topic of TOPICS) if (payload.split(',').includes(topic)) rouse(topic);
      })
    : undefined;

  return {
    notify(topic) {
      rouse(topic);
      if (!options.listen) return;
      pending.add(topic);
      timer ??= setTimeout(tellOthers, NOTIFY_INTERVAL_MS);
    },
    hint(topic, customerIds) {
      for (const hearer of hearers) if (hearer.topic === topic) hearer.listener(customerIds);
    },
    onHint(topic, listener) {
      const hearer = { topic, listener };
      hearers.add(hearer);
      return () => void hearers.delete(hearer);
    },
    rouse,
    wait: (topic, since, timeoutMs, signal) =>
      new Promise((resolve) => {
        if (signal.aborted || counts[topic] !== since) return resolve();
        const done = () => {
          clearTimeout(timeout);
          signal.removeEventListener('abort', done);
          sleepers.delete(sleeper);
          resolve();
        };
        const timeout = setTimeout(done, timeoutMs);
        const sleeper = { topic, rouse: done };
        sleepers.add(sleeper);
        signal.addEventListener('abort', done);
      }),
    count: (topic) => counts[topic],
    async stop() {
      clearTimeout(timer);
      // What this process lets go of when it stops, others take up at once.
      if (pending.size > 0) await tellOthers();
      await listening?.unlisten().catch(options.warn);
    },
  };
}
