// How a session ends in good order: unanswered parts first, then messages that are being stored, then the unbind, ours or
// the answer to the peer's.
import type { Outbox } from './outbox.js';
import { STATUS } from './pdu.js';

/** Messages that are being stored get a little while to be acknowledged; the peer sends the others again. */
const STORING_MS = 1_000;

export interface Farewell {
  begin(): void;
  /** The peer wants to unbind; it is answered when nothing is in flight any more. */
  answerLater(sequence: number): void;
  /** Goes on as far as it can now. */
  goOn(): void;
  /** Whether this is the sequence number of our own unbind. */
  isOurs(sequence: number): boolean;
  isOverdue(now: number, limitMs: number): boolean;
}

export function createFarewell(
  outbox: Outbox,
  session: {
    readonly clock: () => number;
    inFlight(): number;
    beingStored(): number;
    nextSequence(): number;
    end(reason: string): void;
  },
): Farewell {
  let begunAt = 0;
  let askedAt: number | undefined;
  let ownSequence: number | undefined;
  let peerSequence: number | undefined;
  return {
    begin() {
      begunAt = session.clock();
    },
    answerLater(sequence) {
      peerSequence = sequence;
    },
    goOn() {
      if (session.inFlight() > 0) return;
      if (peerSequence !== undefined) {
        outbox.send('unbind_resp', STATUS.ESME_ROK, peerSequence);
        session.end('the peer unbound');
        return;
      }
      if (ownSequence !== undefined) return;
      if (session.beingStored() > 0 && session.clock() - begunAt < STORING_MS) return;
      ownSequence = session.nextSequence();
      askedAt = session.clock();
      outbox.send('unbind', STATUS.ESME_ROK, ownSequence);
    },
    isOurs: (sequence) => sequence === ownSequence,
    isOverdue: (now, limitMs) => askedAt !== undefined && now - askedAt >= limitMs,
  };
}
