// How many exports a machine makes at the same time. Each holds a connection to the database for as long as its client
// takes, so there are few. A customer gets a second place only while two are left for others: it takes three customers to
// use all places, and a client that reads too slowly loses its place (`customer/exports.ts`).

import { addTo } from '../../domain/counts.js';
import { errorText } from '../../domain/fault/error-text.js';
import type { CustomerId } from '../../domain/id.js';
import { unavailable } from '../problem/problem.js';
import { rateLimited } from '../problem/rate-limited.js';

const MAX_PER_CUSTOMER = 2;
const MAX_TOGETHER = 4;
const LEFT_TO_OTHERS = 2;
const RETRY_AFTER_SECONDS = 5;

/** Why there is no place: the customer has this many, or all are taken. */
export type ExportRefusal = { readonly open: number } | 'full';

export interface ExportPlaces {
  /** Undefined when the place is taken. */
  enter(customerId: bigint): ExportRefusal | undefined;
  leave(customerId: bigint): void;
}

export function createExportPlaces(): ExportPlaces {
  const open = new Map<bigint, number>();
  let together = 0;
  return {
    enter(customerId) {
      const own = open.get(customerId) ?? 0;
      if (own >= MAX_PER_CUSTOMER || (own > 0 && together >= MAX_TOGETHER - LEFT_TO_OTHERS)) return { open: own };
      if (together >= MAX_TOGETHER) return 'full';
      addTo(open, customerId, 1);
      together += 1;
      return undefined;
    },
    leave(customerId) {
      together -= 1;
      addTo(open, customerId, -1);
    },
  };
}

export interface ExportGate {
  /** Returns what is to be called when the export is over; throws the answer to one too many. */
  enter(customerId: CustomerId): Promise<() => void>;
}

/** `take` returns how to leave the place, or why there is none. */
export function createExportGate(take: (customerId: CustomerId) => Promise<(() => void) | ExportRefusal>): ExportGate {
  return {
    async enter(customerId) {
      const taken = await take(customerId);
      if (taken === 'full') throw unavailable(errorText('too_many_exports'), RETRY_AFTER_SECONDS);
      if (typeof taken === 'object') {
        const quota = { name: 'open exports', count: taken.open };
        throw rateLimited(errorText('exports_open', { count: taken.open }), quota, RETRY_AFTER_SECONDS);
      }
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        taken();
      };
    },
  };
}
