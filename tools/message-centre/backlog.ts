// Deliveries that wait for a session of their account, or for room in its window, in the order they came.
import type { Delivery } from './protocol.js';

export interface Backlog<D extends Delivery> {
  readonly size: number;
  add(delivery: D): void;
  take(account: string): D | undefined;
}

export function createBacklog<D extends Delivery>(): Backlog<D> {
  const queues = new Map<string, { deliveries: D[]; head: number }>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(delivery) {
      const queue = queues.get(delivery.account);
      if (queue === undefined) queues.set(delivery.account, { deliveries: [delivery], head: 0 });
      else queue.deliveries.push(delivery);
      size += 1;
    },
    take(account) {
      const queue = queues.get(account);
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
