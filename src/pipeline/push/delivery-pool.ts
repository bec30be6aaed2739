// Limits concurrent deliveries, in total and per customer. Customers are served in rotation; deliveries over a limit wait in memory, in
// order.

import { addTo } from '../../domain/counts.js';
import type { CustomerId } from '../../domain/id.js';

export interface Delivery {
  readonly key: string;
  readonly customerId: CustomerId;
  /** Must not reject. */
  run(): Promise<void>;
}

export interface DeliveryPool {
  /** Running or waiting. */
  has(key: string): boolean;
  add(delivery: Delivery): void;
  /** Deliveries that have not begun. */
  waiting(): number;
  /** Drops waiting deliveries, and resolves when running ones have ended. */
  drain(): Promise<void>;
}

export function createDeliveryPool(limits: { readonly total: number; readonly perCustomer: number }): DeliveryPool {
  const running = new Map<string, Promise<void>>();
  const runningOf = new Map<CustomerId, number>();
  /** In rotation: a customer whose delivery began goes to the end. */
  const queues = new Map<CustomerId, Delivery[]>();
  const waiting = new Set<string>();

  const start = (delivery: Delivery): void => {
    const { key, customerId } = delivery;
    waiting.delete(key);
    addTo(runningOf, customerId, 1);
    const run = delivery.run().finally(() => {
      running.delete(key);
      addTo(runningOf, customerId, -1);
      startWaiting();
    });
    running.set(key, run);
  };

  const startWaiting = (): void => {
    for (const [customerId, queue] of queues) {
      if (running.size >= limits.total) return;
      if ((runningOf.get(customerId) ?? 0) >= limits.perCustomer) continue;
      queues.delete(customerId);
      const delivery = queue.shift();
      // Reached again by this iteration.
      if (queue.length > 0) queues.set(customerId, queue);
      if (delivery !== undefined) start(delivery);
    }
  };

  return {
    has: (key) => running.has(key) || waiting.has(key),
    add(delivery) {
      waiting.add(delivery.key);
      const queue = queues.get(delivery.customerId) ?? [];
      queue.push(delivery);
      queues.set(delivery.customerId, queue);
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
