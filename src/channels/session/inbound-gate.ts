// Messages of the peer that wait for the platform to store them. Each is answered once, when it has been; more than may
// wait are turned away at once, for the peer to send again.
import type { SessionWriter, Verdict } from './protocol.js';

const MAX_UNACKNOWLEDGED = 2_000;
/**
 * Unanswered messages fill the window of a peer that has no refusal, and what is behind them stalls: a new session frees it.
 * A few do not fill it, but not every peer sends them again on the same session.
 */
const MAX_LEFT_UNANSWERED = 16;
const MAX_UNANSWERED_MS = 5_000;

export interface InboundGate<Pdu> {
  /** Messages that wait for their answer. */
  readonly waiting: number;
  admit(pdu: Pdu): void;
  /** The session takes nothing any more. */
  turnAway(pdu: Pdu): void;
  /** Ends the session when a message has been left unanswered for too long. */
  tick(now: number): void;
}

export interface InboundGateEvents<Pdu> {
  readonly clock: () => number;
  onInbound(pdu: Pdu, respond: (verdict: Verdict) => void): void;
  /** Whether the peer can still be answered. */
  isOpen(): boolean;
  onAnswered(): void;
  /** Messages could not be stored, too many or for too long, and the protocol has no answer that says so. */
  onStuck(): void;
}

export function createInboundGate<Pdu>(
  writer: Pick<SessionWriter<Pdu, never>, 'answerMessage'>,
  events: InboundGateEvents<Pdu>,
): InboundGate<Pdu> {
  let waiting = 0;
  let unanswered = 0;
  let unansweredSince: number | undefined;

  const answer = (pdu: Pdu, verdict: Verdict): void => {
    if (writer.answerMessage(pdu, verdict)) return;
    unanswered += 1;
    unansweredSince ??= events.clock();
    if (unanswered === MAX_LEFT_UNANSWERED) events.onStuck();
  };

  const respondTo = (pdu: Pdu): ((verdict: Verdict) => void) => {
    let isAnswered = false;
    return (verdict) => {
      if (isAnswered) return;
      isAnswered = true;
      waiting -= 1;
      if (!events.isOpen()) return;
      answer(pdu, verdict);
      events.onAnswered();
    };
  };

  return {
    get waiting() {
      return waiting;
    },
    admit(pdu) {
      if (waiting >= MAX_UNACKNOWLEDGED) {
        answer(pdu, 'full');
        return;
      }
      waiting += 1;
      events.onInbound(pdu, respondTo(pdu));
    },
    turnAway: (pdu) => answer(pdu, 'again'),
    tick(now) {
      if (unansweredSince !== undefined && now - unansweredSince >= MAX_UNANSWERED_MS) events.onStuck();
    },
  };
}
