// Limits concurrent deliveries to a number of lanes. Customers take turns, each with a bounded share; jobs without a free lane wait in
// memory, in order.

import type { CustomerId } from '../../domain/id.js';

export interface Job {
  readonly key: string;
  readonly customerId: CustomerId;
  /** Must not reject. */
  run(): Promise<void>;
}

export interface Lanes {
  /** Running or waiting. */
  has(key: string): boolean;
  add(job: Job): void;
  /** Jobs without a lane. */
  waiting(): number;
  /** Drops waiting jobs, and resolves when running ones have ended. */
  drain(): Promise<void>;
}

export function createLanes(limits: { readonly total: number; readonly perCustomer: number }): Lanes {
  const running = new Map<string, Promise<void>>();
  const runningOf = new Map<CustomerId, number>();
  /** In the order of turns: a customer that got a lane goes to the end. */
  const queues = new Map<CustomerId, Job[]>();
  const waiting = new Set<string>();

  const start = (job: Job): void => {
    const { key, customerId } = job;
    waiting.delete(key);
    runningOf.set(customerId, (runningOf.get(customerId) ?? 0) + 1);
    const run = job.run().finally(() => {
      running.delete(key);
      const left = (runningOf.get(customerId) ?? 1) - 1;
      if (left === 0) runningOf.delete(customerId);
      else runningOf.set(customerId, left);
      startWaiting();
    });
    running.set(key, run);
  };

  const startWaiting = (): void => {
    for (const [customerId, queue] of queues) {
      if (running.size >= limits.total) return;
      if ((runningOf.get(customerId) ?? 0) >= limits.perCustomer) continue;
      queues.delete(customerId);
      const job = queue.shift();
      // Reached again by this iteration.
      if (queue.length > 0) queues.set(customerId, queue);
      if (job !== undefined) start(job);
    }
  };

  return {
    has: (key) => running.has(key) || waiting.has(key),
    add(job) {
      waiting.add(job.key);
      const queue = queues.get(job.customerId) ?? [];
      queue.push(job);
      queues.set(job.customerId, queue);
      startWaiting();
    },
    waiting: () => waiting.size,
    async drain() {
      queues.clear();
      waiting.clear();
      await Promise.all(running.values());
    },
  };
}
