// Sending hours of message classes: outside of them nothing is sent. Waiting chunks stay in the database and are read again when the
// hours begin.

import type { Chunk } from '../../../domain/chunk/chunk.js';
import { classOfPlace, queueKeyOf } from '../../../domain/rules/queue-place.js';
import type { Sendable } from '../parts/part-state.js';
import type { ChannelWindow } from '../parts/window.js';
import type { ClassTurns } from './class-turns.js';
import type { Loader } from './loader.js';
import type { Pacer } from './pacer.js';

export interface ClassHours {
  /** Whether its class may be sent now. */
  isOpen(chunk: Chunk): boolean;
  /** Removes the queue of this chunk from memory, until its hours begin. */
  hold(chunk: Chunk): void;
  /** Returns the parts that may be sent now; the others are held. */
  holdClosed(parts: readonly Sendable[]): readonly Sendable[];
}

export interface ClassHoursDeps {
  readonly turns: ClassTurns;
  readonly loader: Loader;
  readonly window: ChannelWindow;
  readonly pacer: Pacer;
  readonly isOpen: (chunk: Chunk) => boolean;
}

export function createClassHours({ turns, loader, window, pacer, isOpen }: ClassHoursDeps): ClassHours {
  const hold = ({ customerId, queueNo }: Chunk): void => {
    const queue = queueKeyOf(customerId, classOfPlace(queueNo));
    turns.clearQueue(queue);
    loader.hold(queue);
  };
  return {
    isOpen,
    hold,
    holdClosed(parts) {
      const closed = parts.filter(({ position }) => !isOpen(position.chunk));
      if (closed.length === 0) return parts;
      for (const { position } of closed) hold(position.chunk);
      pacer.refund(closed.length);
      window.release(closed);
      return parts.filter((part) => !closed.includes(part));
    },
  };
}
