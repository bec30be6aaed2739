// Requests that wait for a server of the customer: a test of a webhook, the look-up of its name. Few at a time per customer, so
// that they cannot fill the places of other customers; cut off when the caller leaves or the service stops.

import { addTo } from '../../domain/counts.js';
import { errorText } from '../../domain/fault/error-text.js';
import type { CustomerId } from '../../domain/id.js';
import { unavailable } from '../problem/problem.js';
import { rateLimited } from '../problem/rate-limited.js';
import type { Call } from '../route.js';

const MAX_PER_CUSTOMER = 3;
const RETRY_AFTER_SECONDS = 1;

export interface CallGate {
  /** Throws the answer to one call too many, and to one that the stop of the service cut off. */
  run<Result>(customerId: CustomerId, call: Call, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

/** `stop` is aborted when the service stops. */
export function createCallGate(stop: AbortSignal): CallGate {
  const open = new Map<CustomerId, number>();
  return {
    async run(customerId, { reply }, work) {
      const own = open.get(customerId) ?? 0;
      if (own >= MAX_PER_CUSTOMER) {
        const quota = { name: 'open calls', count: MAX_PER_CUSTOMER };
        throw rateLimited(errorText('calls_open', { max: MAX_PER_CUSTOMER }), quota, RETRY_AFTER_SECONDS);
      }
      addTo(open, customerId, 1);
      const cutOff = new AbortController();
      const abort = () => cutOff.abort();
      stop.addEventListener('abort', abort);
      reply.raw.once('close', abort);
      try {
        return await work(cutOff.signal);
      } catch (error) {
        if (stop.aborted) throw unavailable(errorText('stopping'));
        throw error;
      } finally {
        stop.removeEventListener('abort', abort);
        reply.raw.off('close', abort);
        addTo(open, customerId, -1);
      }
    },
  };
}
