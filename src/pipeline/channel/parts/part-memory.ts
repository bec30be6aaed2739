// An in-memory cache of the parts of all channels of this process, so that most reports are matched without the database. Unmatched
// reports share its budget. Limited in bytes, evicts the oldest first; evicted entries are found in the database.

import type { PartPosition } from './part-state.js';

export interface PartMemory {
  /** A channel is named by its id in digits: writing a bigint for each report costs more than the lookup. */
  remember(channel: string, messageKey: string, position: PartPosition): void;
  find(channel: string, messageKey: string): PartPosition | undefined;
  forget(channel: string, messageKey: string): void;
  /** Reserves memory for something else. `onEvicted` is called when the memory is needed; the returned function releases it. */
  reserve(bytes: number, onEvicted: () => void): () => void;
  bytes(): number;
}

/** The memory of an entry besides its key: the part, its map entry, and its share of the chunk that it references. */
const ENTRY_BYTES = 260;
/** At most this share is for reservations: carriers can send any number of reports, which must not evict the parts. */
const RESERVED_SHARE = 0.5;
/** An eviction continues down to this share. */
const LEFT_SHARE = 0.95;

export function createPartMemory(maxBytes: number): PartMemory {
  const parts = new Map<string, PartPosition>();
  /** The bytes of each reservation, by its `onEvicted`, oldest first. */
  const reserved = new Map<() => void, number>();
  let partBytes = 0;
  let reservedBytes = 0;
  const sizeOf = (key: string) => ENTRY_BYTES + key.length;
  const remove = (key: string): void => {
    if (parts.delete(key)) partBytes -= sizeOf(key);
  };
  const release = (onEvicted: () => void): void => {
    reservedBytes -= reserved.get(onEvicted) ?? 0;
    reserved.delete(onEvicted);
  };
  // Evicts many at a time, because iteration passes over the holes that deleted entries leave in the map. No iterator is kept: it
  // would keep alive the old hash tables of the map with everything in them.
  const evict = (): void => {
    if (reservedBytes > maxBytes * RESERVED_SHARE) {
      for (const onEvicted of reserved.keys()) {
        if (reservedBytes <= maxBytes * RESERVED_SHARE * LEFT_SHARE) break;
        release(onEvicted);
        onEvicted();
      }
    }
    if (partBytes + reservedBytes > maxBytes) {
      for (const oldestKey of parts.keys()) {
        if (partBytes + reservedBytes <= maxBytes * LEFT_SHARE) break;
        remove(oldestKey);
      }
    }
  };
  return {
    remember(channel, messageKey, position) {
      const key = `${channel} ${messageKey}`;
      // If a carrier reuses an id, reports are about the later message.
      remove(key);
      parts.set(key, position);
      partBytes += sizeOf(key);
      evict();
    },
    find: (channel, messageKey) => parts.get(`${channel} ${messageKey}`),
    forget: (channel, messageKey) => remove(`${channel} ${messageKey}`),
    reserve(bytes, onEvicted) {
      reserved.set(onEvicted, bytes);
      reservedBytes += bytes;
      evict();
      return () => release(onEvicted);
    },
    bytes: () => partBytes + reservedBytes,
  };
}
