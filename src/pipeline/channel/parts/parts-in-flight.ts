// The parts of all channels of this process between intent and recorded answer. Their rows may read as unsent, after the database has
// lost commits or its disk was restored, and their chunks may be loaded again, here or on another channel. A part on the wire is
// never sent again, whatever its row says: its answer corrects the row.

import type { PartPosition, PartState, Sendable } from './part-state.js';

export interface PartsInFlight {
  /** Another copy of this part that is in flight. */
  otherOf(part: Sendable): PartPosition | undefined;
  /** Called after each move. */
  partMoved(part: Sendable): void;
  /** The channel has stopped: the next owner marks what it left unknown. */
  forget(channelId: bigint): void;
}

const IN_FLIGHT: ReadonlySet<PartState> = new Set(['intending', 'intended', 'on_wire', 'answered', 'quarantined']);

export function createPartsInFlight(): PartsInFlight {
  /** By reference. */
  const positions = new Map<string, PartPosition>();
  return {
    otherOf({ part, position }) {
      const found = positions.get(part.reference);
      return found !== undefined && found !== position && isInTheWay(found, position) ? found : undefined;
    },
    partMoved({ part, position }) {
      const known = positions.get(part.reference);
      if (!IN_FLIGHT.has(position.state)) {
        if (known === position) positions.delete(part.reference);
      } else if (known === undefined) positions.set(part.reference, position);
    },
    forget(channelId) {
      for (const [reference, { chunk }] of positions) if (chunk.channelId === channelId) positions.delete(reference);
    },
  };
}

/** An answer that is being recorded may just have moved the number to the other channel. */
function isInTheWay(found: PartPosition, { chunk }: PartPosition): boolean {
  return found.chunk.channelId === chunk.channelId || found.state === 'intended' || found.state === 'on_wire';
}
