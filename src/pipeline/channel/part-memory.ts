// The parts that the channels of this process remember, so that most reports find theirs without asking the database. The
// table stays the truth: what is forgotten is found there. One memory for all channels, bounded in bytes, the oldest out.

import type { Chunk } from '../../domain/chunk.js';

/** One part on its way. */
export interface Flight {
  readonly chunk: Chunk;
  readonly index: number;
  /** From 1. */
  readonly part: number;
  /** When it was last given to the channel, in milliseconds since the epoch. */
  submittedAt: number;
}

export interface PartMemory {
  remember(channelId: bigint, messageKey: string, flight: Flight): void;
  find(channelId: bigint, messageKey: string): Flight | undefined;
  forget(channelId: bigint, messageKey: string): void;
  bytes(): number;
}

/** What an entry takes beside its key: the flight, its place in the map, and its share of the chunk that it keeps alive. */
const ENTRY_BYTES = 260;

export function makePartMemory(maxBytes: number): PartMemory {
  const flights = new Map<string, Flight>();
  let bytes = 0;
  const sizeOf = (key: string) => ENTRY_BYTES + key.length;
  const remove = (key: string): void => {
    if (flights.delete(key)) bytes -= sizeOf(key);
  };
  return {
    remember(channelId, messageKey, flight) {
      const key = `${channelId} ${messageKey}`;
      // An upstream that uses an id again means the later message from then on.
      remove(key);
      flights.set(key, flight);
      bytes += sizeOf(key);
      while (bytes > maxBytes) {
        const [oldest] = flights.keys();
        if (oldest === undefined) return;
        remove(oldest);
      }
    },
    find: (channelId, messageKey) => flights.get(`${channelId} ${messageKey}`),
    forget: (channelId, messageKey) => remove(`${channelId} ${messageKey}`),
    bytes: () => bytes,
  };
}
