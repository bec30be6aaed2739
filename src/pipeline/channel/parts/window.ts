// How many parts may still go: no more than the channel's window of them is between intent and recorded answer at any time.
// A little of a large window is kept for newcomers, so that a message finds room whatever backlogs there are.

import type { Chunk } from '../../../domain/chunk/chunk.js';
import type { CustomerId } from '../../../domain/id.js';
import { classOfPlace, type QueueKey, queueKeyOf, queueKeysOf } from '../../../domain/rules/queue-place.js';
import type { Sendable } from '../sending/turns.js';
import type { PartPosition } from './part-memory.js';

export interface Room {
  /** How many places there are for everybody. */
  readonly size: number;
  /** For how many parts there is room, where those that wait are of this bucket alone; of several where it is undefined. */
  free(bucket: number | undefined): number;
  /** For how many parts of newcomers there is room that nobody else takes. */
  freeForNewcomers(): number;
  /** These parts are about to be meant to go out. */
  take(sendables: readonly Sendable[]): void;
  takeForNewcomers(sendables: readonly Sendable[]): void;
  /** They are no longer between intent and recorded answer. */
  give(sendables: readonly Sendable[]): void;
  /** The answer to a part is on its way into the database. Returns what to call when it is there, or is not to be. */
  answering(sendable: Sendable): () => void;
  /** Whether nothing of a customer is between intent and recorded answer. */
  isAtRest(customerId: CustomerId): boolean;
  /** Resolves when nothing at all is. */
  empty(): Promise<void>;
}

/** Of so many places two are kept, so that the others are still two halves; a smaller window has none to spare. */
const PLACES_A_KEPT_PAIR = 64;

export function createRoom(window: number): Room {
  const kept = 2 * Math.floor(window / PLACES_A_KEPT_PAIR);
  const inKept = new Set<PartPosition>();
  const inHand = new Map<QueueKey, number>();
  /** Answers on their way into the database, by bucket. */
  const answering = new Map<number, number>();
  const waiting: (() => void)[] = [];
  let outstanding = 0;

  const countFor = ({ customerId, queueNo }: Chunk, by: 1 | -1): void => {
    const queue = queueKeyOf(customerId, classOfPlace(queueNo));
    const left = (inHand.get(queue) ?? 0) + by;
    if (left > 0) inHand.set(queue, left);
    else inHand.delete(queue);
  };

  return {
    size: window - kept,
    // Answers that are about to be committed make room already, where the parts that take it are of the same bucket: their
    // intents are committed after those answers, or with them, so the window is kept at every moment. On one database this
    // puts a whole window into one transaction.
    free: (bucket) => window - kept - outstanding + (bucket === undefined ? 0 : (answering.get(bucket) ?? 0)),
    freeForNewcomers: () => kept - inKept.size,
    take(sendables) {
      outstanding += sendables.length;
      for (const { flight } of sendables) countFor(flight.chunk, 1);
    },
    takeForNewcomers(sendables) {
      for (const { flight } of sendables) {
        inKept.add(flight);
        countFor(flight.chunk, 1);
      }
    },
    give(sendables) {
      for (const { flight } of sendables) {
        if (!inKept.delete(flight)) outstanding -= 1;
        countFor(flight.chunk, -1);
      }
      if (inHand.size === 0) for (const resolve of waiting.splice(0)) resolve();
    },
    answering({ flight }) {
      // The kept places are used beside those transactions, where an answer is no room before it is recorded.
      if (inKept.has(flight)) return () => {};
      const { bucket } = flight.chunk;
      answering.set(bucket, (answering.get(bucket) ?? 0) + 1);
      return () => void answering.set(bucket, (answering.get(bucket) ?? 0) - 1);
    },
    isAtRest: (customerId) => !queueKeysOf(customerId).some((queue) => inHand.has(queue)),
    async empty() {
      if (inHand.size > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
