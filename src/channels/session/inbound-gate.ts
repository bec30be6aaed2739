// Inbound messages that wait until they are stored. Each is answered once, after it is stored. Beyond a limit messages are rejected at
// once, and the peer sends them again.
import type { Acknowledgement, SessionWriter } from './protocol.js';

const MAX_UNACKNOWLEDGED = 2_000;
/**
 * In a protocol without a negative answer, unanswered messages fill the window of the peer and block the messages behind them. A new
 * session frees the window. The time limit is for peers that repeat a message only on a new session.
 */
const MAX_LEFT_UNANSWERED = 16;
const MAX_UNANSWERED_MS = 5_000;

export interface InboundGate<Pdu> {
  /** Messages that are being stored. */
  readonly waiting: number;
  admit(pdu: Pdu): void;
  /** Asks the peer to send it again, because the session is not bound. */
  reject(pdu: Pdu): void;
  /** Calls `onStuck` if a message has been unanswered for too long. */
  tick(now: number): void;
}

export interface InboundGateEvents<Pdu> {
  readonly clock: () => number;
  onInbound(pdu: Pdu, respond: (acknowledgement: Acknowledgement) => void): void;
  /** Whether the peer can still be answered. */
  isOpen(): boolean;
  onAnswered(): void;
  /** Too many messages are unanswered, or one for too long, in a protocol without a negative answer. */
  onStuck(): void;
}

export function createInboundGate<Pdu>(
  writer: Pick<SessionWriter<Pdu, never>, 'answerMessage'>,
  events: InboundGateEvents<Pdu>,
): InboundGate<Pdu> {
  let waiting = 0;
  let unanswered = 0;
  let unansweredSince: number | undefined;

  const answer = (pdu: Pdu, acknowledgement: Acknowledgement): void => {
    if (writer.answerMessage(pdu, acknowledgement)) return;
    unanswered += 1;
    unansweredSince ??= events.clock();
    if (unanswered === MAX_LEFT_UNANSWERED) events.onStuck();
  };

  const respondTo = (pdu: Pdu): ((acknowledgement: Acknowledgement) => void) => {
    let isAnswered = false;
    return (acknowledgement) => {
      if (isAnswered) return;
      isAnswered = true;
      waiting -= 1;
      if (!events.isOpen()) return;
      answer(pdu, acknowledgement);
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
    reject: (pdu) => answer(pdu, 'again'),
    tick(now) {
      if (unansweredSince !== undefined && now - unansweredSince >= MAX_UNANSWERED_MS) events.onStuck();
    },
  };
}
