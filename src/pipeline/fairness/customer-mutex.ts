// Serialises calls that lock an account, before they take a connection: a second call of the same customer would only hold a connection
// while it waits for the lock. When the service stops, waiting calls are rejected, so that they do not delay the stop.

import { createGate, type Gate } from '../../domain/gate.js';
import type { CustomerId } from '../../domain/id.js';

export interface CustomerMutex {
  /** Runs one call of a customer at a time, in order. */
  run<Result>(customerId: CustomerId, work: () => Promise<Result>): Promise<Result>;
}

/** The call was not started, because the service stops. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError';
  override readonly message = 'the service is stopping';
}

/** `stop` is aborted when the service stops. */
export function createCustomerMutex(stop: AbortSignal): CustomerMutex {
  const queues = new Map<CustomerId, { readonly gate: Gate; calls: number }>();
  return {
    async run(customerId, work) {
      const queue = queues.get(customerId) ?? { gate: createGate(1), calls: 0 };
      queues.set(customerId, queue);
      queue.calls += 1;
      await queue.gate.enter();
      try {
        if (stop.aborted) throw new StoppingError();
        return await work();
      } finally {
        queue.gate.leave();
        queue.calls -= 1;
        if (queue.calls === 0) queues.delete(customerId);
      }
    },
  };
}
