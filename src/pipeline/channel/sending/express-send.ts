// Sends a chunk of the express lane, whose intents are committed in the transaction that stores it. Its slots in the window and in
// the rate are reserved before that transaction writes, so that the window is never exceeded.

import type { StoredChunk } from '../../../domain/chunk/chunk.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import type { ChunkIntents, PartLifecycle } from '../parts/part-lifecycle.js';
import type { Sendable } from '../parts/part-state.js';
import type { ChannelWindow } from '../parts/window.js';
import type { Pacer } from './pacer.js';
import type { TimedPartQueue } from './part-queue.js';
import type { Turns } from './turns.js';

export interface ExpressSend {
  /** The lease that the intents are committed under. */
  readonly lease: Lease;
  /** Whether a reservation may succeed. */
  isOpen(): boolean;
  /** Reserves slots for all parts of this chunk; undefined if they cannot be sent at once and must wait in the queue. */
  reserve(stored: StoredChunk): ChunkIntents | undefined;
}

export interface ExpressSendOptions {
  readonly lease: Lease;
  readonly lifecycle: Pick<PartLifecycle, 'intendWithChunk' | 'isQuarantined'>;
  readonly turns: Turns;
  readonly window: ChannelWindow;
  readonly pacer: Pacer;
  readonly queue: Pick<TimedPartQueue, 'isOpen'>;
  readonly isOpen: () => boolean;
  readonly send: (parts: readonly Sendable[]) => void;
}

export function createExpressSend(options: ExpressSendOptions): ExpressSend {
  const { lease, lifecycle, turns, window, pacer } = options;
  // A new message does not overtake waiting ones.
  const isOpen = () => options.isOpen() && turns.size() === 0;
  return {
    lease,
    isOpen,
    reserve(stored) {
      const { chunk } = stored;
      if (!isOpen() || lifecycle.isQuarantined(chunk.customerId) || !options.queue.isOpen(chunk)) return undefined;
      const parts = turns.unsentPartsOf(stored);
      const isKnown = parts.every(({ part }) => part.from !== '');
      // Reusable slots do not count: their answers may be committed after these intents.
      if (!isKnown || parts.length > window.free(undefined)) return undefined;
      const paced = pacer.take(parts.length);
      if (paced < parts.length) {
        pacer.refund(paced);
        return undefined;
      }
      window.take(parts);
      return lifecycle.intendWithChunk(parts, options.send);
    },
  };
}
