// The parts of a channel that wait to be sent: the turns in memory and the loader that fills them. Outside of the hours of its class, and
// without its grant, a queue is not sent: its chunks stay in the database and are read again when the hours begin.

import type { Chunk } from '../../../domain/chunk/chunk.js';
import { classOfPlace, queueKeyOf } from '../../../domain/rules/queue-place.js';
import type { Wake } from '../../wake.js';
import type { PartQueue } from '../parts/part-lifecycle.js';
import type { Sendable } from '../parts/part-state.js';
import type { ChannelWindow } from '../parts/window.js';
import type { ClassTurns } from './class-turns.js';
import type { Loader } from './loader.js';
import type { Pacer } from './pacer.js';

export interface TimedPartQueue extends PartQueue {
  /** Whether a chunk may be sent now. */
  isOpen(chunk: Chunk): boolean;
  /** Returns the parts that may be sent now. The queues of the others are removed from memory, until their hours begin. */
  holdClosed(parts: readonly Sendable[]): readonly Sendable[];
}

export interface PartQueueDeps {
  readonly turns: ClassTurns;
  readonly loader: Loader;
  readonly window: ChannelWindow;
  readonly pacer: Pacer;
  readonly wake: Wake;
  readonly isOpen: (chunk: Chunk) => boolean;
}

export function createPartQueue({ turns, loader, window, pacer, wake, isOpen }: PartQueueDeps): TimedPartQueue {
  const hold = ({ customerId, queueNo }: Chunk): void => {
    const queue = queueKeyOf(customerId, classOfPlace(queueNo));
    turns.clearQueue(queue);
    loader.hold(queue);
  };
  // A paused or cancelled task still has parts in memory: they must not count against the rate.
  const refund = (parts: readonly Sendable[]): void => pacer.refund(parts.length);

  return {
    isOpen,
    holdClosed(parts) {
      const closed = parts.filter(({ position }) => !isOpen(position.chunk));
      if (closed.length === 0) return parts;
      for (const { position } of closed) hold(position.chunk);
      refund(closed);
      window.release(closed);
      return parts.filter((part) => !closed.includes(part));
    },
    putBack: (part) => (isOpen(part.position.chunk) ? turns.putBack([part]) : hold(part.position.chunk)),
    dropNumber: turns.drop,
    refund,
    pause(customerId) {
      turns.clear(customerId);
      loader.pause(customerId);
    },
    resume(customerId, isIdle) {
      loader.resume(customerId, isIdle);
      wake.notifyLocal('dispatch');
    },
  };
}
