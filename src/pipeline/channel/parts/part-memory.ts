// What the channels of this process remember of their parts, so that most reports find theirs without asking the database: the
// parts themselves, and the reports that wait for one. The tables stay the truth: what is forgotten is found there. One memory
// for all channels, bounded in bytes, the oldest out.

import type { PartPosition } from './part-state.js';

export interface PartMemory {
  remember(channelId: bigint, messageKey: string, position: PartPosition): void;
  find(channelId: bigint, messageKey: string): PartPosition | undefined;
  forget(channelId: bigint, messageKey: string): void;
  /** Room for something else that is known of parts. It is told when its room is needed; what is returned gives the room back. */
  hold(bytes: number, onEvicted: () => void): () => void;
  bytes(): number;
}

/** What an entry takes beside its key: the part, its place in the map, and its share of the chunk that it keeps alive. */
const ENTRY_BYTES = 260;
/** Strangers can make what is held grow, and must not drive out the parts: it has at most this share. */
const HELD_SHARE = 0.5;
/** Once there is no room, so much is left. */
const LEFT_SHARE = 0.95;

export function createPartMemory(maxBytes: number): PartMemory {
  const parts = new Map<string, PartPosition>();
  const held = new Map<() => void, number>();
  let partBytes = 0;
  let heldBytes = 0;
  const sizeOf = (key: string) => ENTRY_BYTES + key.length;
  const remove = (key: string): void => {
    if (parts.delete(key)) partBytes -= sizeOf(key);
  };
  const release = (onEvicted: () => void): void => {
    heldBytes -= held.get(onEvicted) ?? 0;
    held.delete(onEvicted);
  };
  // Much at a time, because each walk passes over the holes that what was forgotten has left in the map. No walk outlives its use:
  // it would keep alive every table that the map has had since, and all that was ever in them.
  const createRoom = (): void => {
    if (heldBytes > maxBytes * HELD_SHARE) {
      for (const oldest of held.keys()) {
        if (heldBytes <= maxBytes * HELD_SHARE * LEFT_SHARE) break;
        release(oldest);
        oldest();
      }
    }
    if (partBytes + heldBytes > maxBytes) {
      for (const oldest of parts.keys()) {
        if (partBytes + heldBytes <= maxBytes * LEFT_SHARE) break;
        remove(oldest);
      }
    }
  };
  return {
    remember(channelId, messageKey, position) {
      const key = `${channelId} ${messageKey}`;
      // An upstream that uses an id again means the later message from then on.
      remove(key);
      parts.set(key, position);
      partBytes += sizeOf(key);
      createRoom();
    },
    find: (channelId, messageKey) => parts.get(`${channelId} ${messageKey}`),
    forget: (channelId, messageKey) => remove(`${channelId} ${messageKey}`),
    hold(bytes, onEvicted) {
      held.set(onEvicted, bytes);
      heldBytes += bytes;
      createRoom();
      return () => release(onEvicted);
    },
    bytes: () => partBytes + heldBytes,
  };
}
