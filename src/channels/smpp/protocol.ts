// The roles of SMPP PDUs in a session, and how the session writes them.
import type { Acknowledgement, PduRole, SessionProtocol } from '../session/protocol.js';
import { decodePdu, HEADER_BYTES } from './codec.js';
import { MAX_FRAME_BYTES } from './framing.js';
import { sendThrough } from './outbox.js';
import {
  type BindCommand,
  type Body,
  type MalformedPdu,
  nameStatus,
  type Pdu,
  type PduOf,
  STATUS,
  type Tlvs,
} from './pdu.js';

export type AnyPdu = Pdu | MalformedPdu;

/** A report or an uplink. */
export type InboundPdu = PduOf<'deliver_sm'> | PduOf<'data_sm'>;

export interface SmppSubmission {
  readonly body: Body<'submit_sm'>;
  readonly tlvs: Tlvs | undefined;
}

const ROLES: Readonly<Partial<Record<AnyPdu['command'], PduRole>>> = {
  submit_sm_resp: 'submit_answer',
  bind_receiver_resp: 'login_answer',
  bind_transmitter_resp: 'login_answer',
  bind_transceiver_resp: 'login_answer',
  unbind_resp: 'logout_answer',
  enquire_link_resp: 'keepalive_answer',
  deliver_sm: 'message',
  data_sm: 'message',
  enquire_link: 'keepalive',
  unbind: 'logout',
  // Neither needs an answer: an alert is informational, and we answer an outbind by the bind that is sent on connecting.
  alert_notification: 'ignored',
  outbind: 'ignored',
};

const ACKNOWLEDGEMENT_STATUS: Readonly<Record<Acknowledgement, number>> = {
  stored: STATUS.ESME_ROK,
  again: STATUS.ESME_RX_T_APPN,
  full: STATUS.ESME_RMSGQFUL,
};

export function createSmppProtocol(
  bind: BindCommand,
  bindBody: Body<BindCommand>,
): SessionProtocol<AnyPdu, SmppSubmission> {
  return {
    loginName: 'bind',
    headerBytes: HEADER_BYTES,
    maxFrameBytes: MAX_FRAME_BYTES,
    decode: decodePdu,
    roleOf(pdu, isOpening) {
      // Until the bind is answered, a nack refers to the bind, whatever sequence number it has.
      if (pdu.command === 'generic_nack') return isOpening ? 'login_answer' : 'submit_answer';
      return ROLES[pdu.command] ?? 'refused';
    },
    sequenceOf: (pdu) => pdu.sequence,
    findLoginRefusal: (pdu) =>
      pdu.status === STATUS.ESME_ROK && pdu.command !== 'generic_nack' ? undefined : nameStatus(pdu.status),
    createWriter(shared) {
      const outbox = sendThrough(shared);
      return {
        login: (sequence) => outbox.send(bind, STATUS.ESME_ROK, sequence, bindBody),
        submit: (sequence, { body, tlvs }) => outbox.send('submit_sm', STATUS.ESME_ROK, sequence, body, tlvs),
        keepalive: (sequence) => outbox.send('enquire_link', STATUS.ESME_ROK, sequence),
        logout: (sequence) => outbox.send('unbind', STATUS.ESME_ROK, sequence),
        answerKeepalive: (pdu) => outbox.send('enquire_link_resp', STATUS.ESME_ROK, pdu.sequence),
        answerLogout: (pdu) => outbox.send('unbind_resp', STATUS.ESME_ROK, pdu.sequence),
        answerMessage(pdu, acknowledgement) {
          const answer = pdu.command === 'data_sm' ? 'data_sm_resp' : 'deliver_sm_resp';
          outbox.send(answer, ACKNOWLEDGEMENT_STATUS[acknowledgement], pdu.sequence, { message_id: '' });
          return true;
        },
        refuse(pdu) {
          const status = pdu.command === 'malformed' ? pdu.status : STATUS.ESME_RINVCMDID;
          outbox.send('generic_nack', status, pdu.sequence);
        },
        refuseFrame: () => outbox.send('generic_nack', STATUS.ESME_RINVCMDLEN, 0),
      };
    },
  };
}
