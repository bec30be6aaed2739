// Sending what was accepted a moment ago: a chunk whose intents are committed in the transaction that stores it. The places in the
// window and the pace are taken before that transaction writes, so that the window holds at every moment.

import type { StoredChunk } from '../../../domain/chunk/chunk.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import type { PartLifecycle } from '../parts/part-lifecycle.js';
import type { Sendable } from '../parts/part-state.js';
import type { SendWindow } from '../parts/window.js';
import type { Pacer } from './pacer.js';
import type { Turns } from './turns.js';

export interface ExpressSend {
  /** What the intents are committed under. */
  readonly lease: Lease;
  /** Whether it is worth asking for a reservation. */
  isOpen(): boolean;
  /** Takes places for all parts of this chunk; undefined where they cannot go at once and wait in the queue. */
  holdPlaces(stored: StoredChunk): Reservation | undefined;
}

/** One of the two ends it. */
export interface Reservation {
  /** The intents are committed. */
  send(): void;
  /** They are not; with an error, nobody knows. */
  cancel(error?: unknown): void;
}

export interface ExpressSendOptions {
  readonly lease: Lease;
  readonly lifecycle: Pick<PartLifecycle, 'intendWithChunk' | 'isQuarantined'>;
  readonly turns: Turns;
  readonly window: SendWindow;
  readonly pacer: Pacer;
  readonly isOpen: () => boolean;
  readonly send: (parts: readonly Sendable[]) => void;
}

export function createExpressSend(options: ExpressSendOptions): ExpressSend {
  const { lease, lifecycle, turns, window, pacer } = options;
  // Where anything waits, a new message waits for its turn.
  const isOpen = () => options.isOpen() && turns.size() === 0;
  return {
    lease,
    isOpen,
    holdPlaces(stored) {
      if (!isOpen() || lifecycle.isQuarantined(stored.chunk.customerId)) return undefined;
      const parts = turns.cut(stored);
      const isKnown = parts.every(({ part }) => part.from !== '');
      // No lent places: their answers may be committed after these intents.
      if (!isKnown || parts.length > window.free(undefined)) return undefined;
      const paced = pacer.take(parts.length);
      if (paced < parts.length) {
        pacer.giveBack(paced);
        return undefined;
      }
      window.take(parts);
      const intents = lifecycle.intendWithChunk(parts);
      return {
        send() {
          intents.committed();
          options.send(parts);
        },
        cancel: (error) => intents.dropped(error),
      };
    },
  };
}
