// Concatenation references, by which a handset joins parts. Allocated per source and destination, so that a busy channel does not
// reuse one while a message of the same pair is on its way.
import { forgetOldest } from '../../domain/counts.js';
import type { Part } from '../channel.js';

/** Of the 256 references of a pair, those of the latest messages are not reused. */
const MESSAGES_PER_PAIR = 128;
const MAX_PAIRS = 20_000;

export interface MessageReference {
  /** Sixteen bits. The low eight are unique within the pair. */
  readonly value: number;
  /** Whether the parts carry all sixteen bits. */
  readonly isWide: boolean;
}

export interface ReferenceAllocator {
  /** The same reference for every part of a message. `decideWide` is called for its first part only. */
  referenceOf(part: Part, decideWide: () => boolean): MessageReference;
}

interface Pair {
  readonly references: Map<string, MessageReference>;
  readonly used: Set<number>;
  /** For parts without a message id: a first part starts a new message. */
  unnamed: number;
}

export function createReferenceAllocator(): ReferenceAllocator {
  const pairs = new Map<string, Pair>();

  function findPair(part: Part): Pair {
    const key = `${part.from}\0${part.to}`;
    const known = pairs.get(key);
    const pair = known ?? { references: new Map(), used: new Set(), unnamed: 0 };
    // Reinserted, so that the map is in the order of use and the first entry is evicted.
    if (known !== undefined) pairs.delete(key);
    pairs.set(key, pair);
    forgetOldest(pairs, MAX_PAIRS);
    return pair;
  }

  return {
    referenceOf(part, decideWide) {
      const pair = findPair(part);
      if (part.message === undefined && part.part === 1) pair.unnamed += 1;
      const message = part.message ?? `\0${pair.unnamed}`;
      const known = pair.references.get(message);
      if (known !== undefined) return known;
      if (pair.references.size >= MESSAGES_PER_PAIR) {
        const [oldest] = pair.references;
        if (oldest !== undefined) {
          pair.references.delete(oldest[0]);
          pair.used.delete(oldest[1].value & 0xff);
        }
      }
      // Starting from a hash of the message gives the later parts the same reference after a restart.
      let value = hashText(message) & 0xffff;
      while (pair.used.has(value & 0xff)) value = (value & 0xff00) | ((value + 1) & 0xff);
      const reference = { value, isWide: decideWide() };
      pair.references.set(message, reference);
      pair.used.add(value & 0xff);
      return reference;
    },
  };
}

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
