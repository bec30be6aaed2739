// How many parts may still go: no more than the channel's window of them is between intent and recorded answer at any time.

import type { CustomerId } from '../../domain/id.js';
import type { Sendable } from './turns.js';

export interface Room {
  /** For how many parts there is room, where those that wait are of this bucket alone; of several where it is undefined. */
  free(bucket: number | undefined): number;
  /** These parts are about to be meant to go out. */
  take(sendables: readonly Sendable[]): void;
  /** They are no longer between intent and recorded answer. */
  give(sendables: readonly Sendable[]): void;
  /** An answer is on its way into the database. Returns what to call when it is there, or is not to be. */
  answering(bucket: number): () => void;
  /** Whether nothing of a customer is between intent and recorded answer. */
  isAtRest(customerId: CustomerId): boolean;
  /** Resolves when nothing at all is. */
  empty(): Promise<void>;
}

export function makeRoom(window: number): Room {
  const inHand = new Map<CustomerId, number>();
  /** Answers on their way into the database, by bucket. */
  const answering = new Map<number, number>();
  const waiting: (() => void)[] = [];
  let outstanding = 0;

  const change = (sendables: readonly Sendable[], by: 1 | -1): void => {
    outstanding += by * sendables.length;
    for (const { flight } of sendables) {
      const { customerId } = flight.chunk;
      const left = (inHand.get(customerId) ?? 0) + by;
      if (left > 0) inHand.set(customerId, left);
      else inHand.delete(customerId);
    }
  };

  return {
    // Answers that are about to be committed make room already, where the parts that take it are of the same bucket: their
    // intents are committed after those answers, or with them, so the window is kept at every moment. On one database this
    // puts a whole window into one transaction.
    free: (bucket) => window - outstanding + (bucket === undefined ? 0 : (answering.get(bucket) ?? 0)),
    take: (sendables) => change(sendables, 1),
    give(sendables) {
      change(sendables, -1);
      if (outstanding === 0) for (const resolve of waiting.splice(0)) resolve();
    },
    answering(bucket) {
      answering.set(bucket, (answering.get(bucket) ?? 0) + 1);
      return () => void answering.set(bucket, (answering.get(bucket) ?? 0) - 1);
    },
    isAtRest: (customerId) => !inHand.has(customerId),
    async empty() {
      if (outstanding > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
