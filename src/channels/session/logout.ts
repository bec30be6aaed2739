// Closes a session gracefully: waits for unanswered parts, then for inbound messages that are being stored, then logs out or answers
// the peer's logout.
import type { SessionWriter } from './protocol.js';

/** How long to wait for messages that are being stored; the peer sends the others again. */
const STORING_MS = 1_000;

export interface Logout<Pdu> {
  begin(): void;
  /** The peer logs out: it is answered when nothing is in flight. */
  answerLater(pdu: Pdu): void;
  /** Takes the next step if nothing blocks it. */
  proceed(): void;
  /** Whether this is the sequence number of our own logout. */
  isOurs(sequence: number): boolean;
  isOverdue(now: number, limitMs: number): boolean;
}

export function createLogout<Pdu>(
  writer: Pick<SessionWriter<Pdu, never>, 'logout' | 'answerLogout'>,
  session: {
    readonly clock: () => number;
    /** False on a connection that the peer opened: it is closed without a logout. */
    readonly logsOut: boolean;
    inFlight(): number;
    beingStored(): number;
    nextSequence(): number;
    end(reason: string): void;
  },
): Logout<Pdu> {
  let begunAt = 0;
  let askedAt: number | undefined;
  let ownSequence: number | undefined;
  let peerLogout: Pdu | undefined;
  return {
    begin() {
      begunAt = session.clock();
    },
    answerLater(pdu) {
      peerLogout = pdu;
    },
    proceed() {
      if (session.inFlight() > 0) return;
      if (peerLogout !== undefined) {
        writer.answerLogout(peerLogout);
        session.end('the peer unbound');
        return;
      }
      if (ownSequence !== undefined) return;
      if (session.beingStored() > 0 && session.clock() - begunAt < STORING_MS) return;
      if (!session.logsOut) {
        session.end('closed');
        return;
      }
      ownSequence = session.nextSequence();
      askedAt = session.clock();
      writer.logout(ownSequence);
    },
    isOurs: (sequence) => sequence === ownSequence,
    isOverdue: (now, limitMs) => askedAt !== undefined && now - askedAt >= limitMs,
  };
}
