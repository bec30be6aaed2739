// CMPP as a session speaks it.
import type { Log } from '../../domain/log.js';
import { formatLoginTime } from '../china/beijing-time.js';
import { MAX_FRAME_BYTES, type MalformedPdu } from '../china/fields.js';
import { isLoginAnswerGenuine } from '../china/login-hash.js';
import type { Outbox } from '../session/outbox.js';
import type { PduRole, SessionProtocol, SessionWriter } from '../session/protocol.js';
import { decodePdu, encodePdu, HEADER_BYTES } from './codec.js';
import type { CmppConfig } from './config.js';
import { hashConnect } from './login.js';
import { type Body, type Command, type Pdu, VERSION_OCTETS } from './pdu.js';
import { nameConnectStatus } from './results.js';

export type CmppPdu = Pdu | MalformedPdu<number>;

/** More than any PDU of this side takes: the longest content has 255 octets. */
const MAX_PDU_BYTES = 512;

const ROLES: Readonly<Record<Command | 'malformed', PduRole>> = {
  connect_resp: 'login_answer',
  submit_resp: 'submit_answer',
  active_test_resp: 'keepalive_answer',
  terminate_resp: 'logout_answer',
  deliver: 'message',
  active_test: 'keepalive',
  terminate: 'logout',
  // Those that only a client sends, answers to what it never asks, and what cannot be read.
  connect: 'refused',
  submit: 'refused',
  deliver_resp: 'refused',
  malformed: 'refused',
};

/** One for each session: it remembers what it logged in with. */
export function createCmppProtocol(
  config: CmppConfig,
  { now, log }: { now: () => number; log: Log },
): SessionProtocol<CmppPdu, Body<'submit'>> {
  let authenticator = '';

  function createWriter(outbox: Outbox): SessionWriter<CmppPdu, Body<'submit'>> {
    function send<C extends Command>(command: C, sequence: number, body?: Body<NoInfer<C>>): void {
      outbox.add(MAX_PDU_BYTES, (slab, at) => encodePdu(slab, at, config.version, command, sequence, body));
    }
    return {
      login(sequence) {
        const timestamp = Number(formatLoginTime(now()));
        authenticator = hashConnect(config.account, config.password, timestamp);
        send('connect', sequence, {
          source_addr: config.account,
          authenticator_source: authenticator,
          version: VERSION_OCTETS[config.version],
          timestamp,
        });
      },
      submit: (sequence, submission) => send('submit', sequence, submission),
      keepalive: (sequence) => send('active_test', sequence),
      logout: (sequence) => send('terminate', sequence),
      answerKeepalive: (pdu) => send('active_test_resp', pdu.sequence, { reserved: '' }),
      answerLogout: (pdu) => send('terminate_resp', pdu.sequence),
      answerMessage(pdu, acknowledgement) {
        if (pdu.command !== 'deliver' || acknowledgement !== 'stored') return false;
        send('deliver_resp', pdu.sequence, { msg_id: pdu.body.msg_id, result: 0 });
        return true;
      },
    };
  }

  return {
    loginName: 'connect',
    headerBytes: HEADER_BYTES,
    maxFrameBytes: MAX_FRAME_BYTES,
    decode: (frame) => decodePdu(frame, config.version),
    roleOf: (pdu) => ROLES[pdu.command],
    sequenceOf: (pdu) => pdu.sequence,
    findLoginRefusal(pdu) {
      if (pdu.command !== 'connect_resp') return undefined;
      const { status, authenticator_ismg: given } = pdu.body;
      if (status !== 0) return nameConnectStatus(status);
      // Servers differ in what they hash: a mismatch proves nothing.
      if (!isLoginAnswerGenuine(status, given, authenticator, config.password)) {
        log.warn({ host: config.host, port: config.port }, 'the gateway did not prove that it knows the secret');
      }
      return undefined;
    },
    createWriter,
  };
}
