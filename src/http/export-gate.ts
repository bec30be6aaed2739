// How many exports this node makes at the same time. Each holds a connection to the database for as long as its client
// takes, so there are few, and one customer cannot take them all.

import type { CustomerId } from '../domain/id.js';
import { Problem, unavailable } from './problem.js';

const MAX_PER_CUSTOMER = 2;
const MAX_TOGETHER = 4;
const RETRY_AFTER_SECONDS = 5;

export interface ExportGate {
  /** Returns what is to be called when the export is over; throws the answer to one too many. */
  enter(customerId: CustomerId): () => void;
}

export function makeExportGate(): ExportGate {
  const open = new Map<CustomerId, number>();
  let together = 0;
  return {
    enter(customerId) {
      const own = open.get(customerId) ?? 0;
      if (own >= MAX_PER_CUSTOMER) {
        throw new Problem('rate_limited', `${MAX_PER_CUSTOMER} exports at a time. Wait until one of yours has ended.`, {
          headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        });
      }
      if (together >= MAX_TOGETHER) throw unavailable('Too many exports at once. Try again.', RETRY_AFTER_SECONDS);
      open.set(customerId, own + 1);
      together += 1;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        together -= 1;
        const left = (open.get(customerId) ?? 1) - 1;
        if (left === 0) open.delete(customerId);
        else open.set(customerId, left);
      };
    },
  };
}
