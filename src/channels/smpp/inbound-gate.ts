// Messages of the peer that wait for the platform to store them. Each is answered once, when it has been; more than may
// wait are turned away at once, for the peer to send again.
import type { Outbox } from './outbox.js';
import { type PduOf, STATUS } from './pdu.js';

export type InboundPdu = PduOf<'deliver_sm'> | PduOf<'data_sm'>;

const MAX_UNACKNOWLEDGED = 2_000;

export interface InboundGate {
  /** Messages that wait for their answer. */
  readonly waiting: number;
  admit(pdu: InboundPdu): void;
  /** The session takes nothing any more. */
  turnAway(pdu: InboundPdu): void;
}

export function createInboundGate(
  outbox: Outbox,
  events: {
    onInbound(pdu: InboundPdu, respond: (status: number) => void): void;
    /** Whether the peer can still be answered. */
    isOpen(): boolean;
    onAnswered(): void;
  },
): InboundGate {
  let waiting = 0;

  const respondTo = (pdu: InboundPdu): ((status: number) => void) => {
    let isAnswered = false;
    return (status) => {
      if (isAnswered) return;
      isAnswered = true;
      waiting -= 1;
      if (!events.isOpen()) return;
      outbox.send(nameAnswer(pdu), status, pdu.sequence, { message_id: '' });
      events.onAnswered();
    };
  };

  return {
    get waiting() {
      return waiting;
    },
    admit(pdu) {
      if (waiting >= MAX_UNACKNOWLEDGED) {
        outbox.send(nameAnswer(pdu), STATUS.ESME_RMSGQFUL, pdu.sequence);
        return;
      }
      waiting += 1;
      events.onInbound(pdu, respondTo(pdu));
    },
    turnAway: (pdu) => outbox.send(nameAnswer(pdu), STATUS.ESME_RX_T_APPN, pdu.sequence),
  };
}

function nameAnswer(pdu: InboundPdu): 'deliver_sm_resp' | 'data_sm_resp' {
  return pdu.command === 'deliver_sm' ? 'deliver_sm_resp' : 'data_sm_resp';
}
