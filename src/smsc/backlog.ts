// Deliveries that wait for a session of their account, or for room in its window, in the order they came.
import type { Delivery } from './deliveries.js';

export interface Backlog {
  readonly size: number;
  add(delivery: Delivery): void;
  take(systemId: string): Delivery | undefined;
}

export function createBacklog(): Backlog {
  const queues = new Map<string, { deliveries: Delivery[]; head: number }>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(delivery) {
      const queue = queues.get(delivery.systemId);
      if (queue === undefined) queues.set(delivery.systemId, { deliveries: [delivery], head: 0 });
      else queue.deliveries.push(delivery);
      size += 1;
    },
    take(systemId) {
      const queue = queues.get(systemId);
      const delivery = queue?.deliveries[queue.head];
      if (queue === undefined || delivery === undefined) return undefined;
      queue.head += 1;
      size -= 1;
      // What has been taken is let go of now and then, not at every step.
      if (queue.head === queue.deliveries.length || queue.head > 10_000) {
        queue.deliveries = queue.deliveries.slice(queue.head);
        queue.head = 0;
      }
      return delivery;
    },
  };
}
