// The parts that were sent and have no answer: in flight, or unknown. The message id of SGIP is the sequence number that the
// part was sent with, so a report finds its part even when the answer never came.
import { forgetOldest } from '../../domain/counts.js';
import type { Part } from '../channel.js';
import { formatSequence, type SgipSequence } from './sequence.js';

/** Well above what all sessions of a channel may have in flight. The oldest unknown parts are forgotten first. */
const MAX_KEPT = 20_000;

export interface SentParts {
  add(sequence: SgipSequence, part: Part): void;
  /** Takes out the part that was answered and returns its message id. Gateways answer with another time: it does not count. */
  settle(answered: SgipSequence): string;
  /** The reference of the part that a report is about, while the part has no answer. */
  findReference(messageId: string): string | undefined;
}

interface PartPosition {
  readonly messageId: string;
  readonly reference: string;
}

export function createSentParts(): SentParts {
  /** By the counter of the sequence number. */
  const sent = new Map<number, PartPosition>();
  return {
    add(sequence, { reference }) {
      // A map keeps the place of a key that it has: an old part with this counter must not make the new one look old.
      sent.delete(sequence.counter);
      sent.set(sequence.counter, { messageId: formatSequence(sequence), reference });
      forgetOldest(sent, MAX_KEPT);
    },
    settle(answered) {
      const messageId = sent.get(answered.counter)?.messageId ?? formatSequence(answered);
      sent.delete(answered.counter);
      return messageId;
    },
    findReference(messageId) {
      const part = sent.get(Number.parseInt(messageId.slice(-8), 16));
      return part?.messageId === messageId ? part.reference : undefined;
    },
  };
}
