// The hours of a class: outside of them nothing of it is handed over. What waits stays in the database and is read again when they
// begin.

import type { Chunk } from '../../../domain/chunk/chunk.js';
import { classOfPlace, queueKeyOf } from '../../../domain/rules/queue-place.js';
import type { Sendable } from '../parts/part-state.js';
import type { SendWindow } from '../parts/window.js';
import type { ClassTurns } from './class-turns.js';
import type { Loader } from './loader.js';
import type { Pacer } from './pacer.js';

export interface ClassHours {
  /** Whether messages of its class may be handed over now. */
  isOpen(chunk: Chunk): boolean;
  /** Forgets what waits in memory of the class of this chunk, until its hours begin. */
  hold(chunk: Chunk): void;
  /** The parts that may go, of those that were taken; the others are held. */
  keepOpen(parts: readonly Sendable[]): readonly Sendable[];
}

export interface ClassHoursDeps {
  readonly turns: ClassTurns;
  readonly loader: Loader;
  readonly window: SendWindow;
  readonly pacer: Pacer;
  readonly isOpen: (chunk: Chunk) => boolean;
}

export function createClassHours({ turns, loader, window, pacer, isOpen }: ClassHoursDeps): ClassHours {
  const hold = ({ customerId, queueNo }: Chunk): void => {
    const queue = queueKeyOf(customerId, classOfPlace(queueNo));
    turns.clearQueue(queue);
    loader.hold(queue, () => window.isQueueIdle(queue));
  };
  return {
    isOpen,
    hold,
    keepOpen(parts) {
      const closed = parts.filter(({ position }) => !isOpen(position.chunk));
      if (closed.length === 0) return parts;
      for (const { position } of closed) hold(position.chunk);
      pacer.giveBack(closed.length);
      window.give(closed);
      return parts.filter((part) => !closed.includes(part));
    },
  };
}
