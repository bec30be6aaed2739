// SMGP as a session speaks it.
import type { Log } from '../../domain/log.js';
import { formatLoginTime } from '../china/beijing-time.js';
import { MAX_FRAME_BYTES, type MalformedPdu } from '../china/fields.js';
import { isLoginAnswerGenuine } from '../china/login-hash.js';
import type { Outbox } from '../session/outbox.js';
import type { PduRole, SessionProtocol, SessionWriter } from '../session/protocol.js';
import { decodePdu, encodePdu, HEADER_BYTES } from './codec.js';
import type { SmgpConfig } from './config.js';
import { hashClient } from './login.js';
import { type Body, type Command, LOGIN_MODE, type Pdu, SMGP_VERSION } from './pdu.js';
import { nameStatus } from './results.js';

export type SmgpPdu = Pdu | MalformedPdu<number>;

/** More than any PDU of this side takes: the longest content has 255 octets. */
const MAX_PDU_BYTES = 512;

const ROLES: Readonly<Record<Command | 'malformed', PduRole>> = {
  login_resp: 'login_answer',
  submit_resp: 'submit_answer',
  active_test_resp: 'keepalive_answer',
  exit_resp: 'logout_answer',
  deliver: 'message',
  active_test: 'keepalive',
  exit: 'logout',
  // Those that only a client sends, answers to what it never asks, and what cannot be read.
  login: 'refused',
  submit: 'refused',
  deliver_resp: 'refused',
  malformed: 'refused',
};

/** One for each session: it remembers what it logged in with. */
export function createSmgpProtocol(
  config: SmgpConfig,
  { now, log }: { now: () => number; log: Log },
): SessionProtocol<SmgpPdu, Body<'submit'>> {
  let authenticator = '';

  function createWriter(outbox: Outbox): SessionWriter<SmgpPdu, Body<'submit'>> {
    function send<C extends Command>(command: C, sequence: number, body?: Body<NoInfer<C>>): void {
      outbox.add(MAX_PDU_BYTES, (slab, at) => encodePdu(slab, at, command, sequence, body));
    }
    return {
      login(sequence) {
        const timestamp = Number(formatLoginTime(now()));
        authenticator = hashClient(config.account, config.password, timestamp);
        send('login', sequence, {
          client_id: config.account,
          authenticator_client: authenticator,
          login_mode: LOGIN_MODE.both,
          timestamp,
          client_version: SMGP_VERSION,
        });
      },
      submit: (sequence, submission) => send('submit', sequence, submission),
      keepalive: (sequence) => send('active_test', sequence),
      logout: (sequence) => send('exit', sequence),
      answerKeepalive: (pdu) => send('active_test_resp', pdu.sequence),
      answerLogout: (pdu) => send('exit_resp', pdu.sequence),
      answerMessage(pdu, acknowledgement) {
        // Some gateways never repeat what was answered with an error, whatever the specification says: they repeat what was not answered.
        if (pdu.command !== 'deliver' || acknowledgement !== 'stored') return false;
        send('deliver_resp', pdu.sequence, { msg_id: pdu.body.msg_id, status: 0 });
        return true;
      },
    };
  }

  return {
    loginName: 'login',
    headerBytes: HEADER_BYTES,
    maxFrameBytes: MAX_FRAME_BYTES,
    decode: decodePdu,
    roleOf: (pdu) => ROLES[pdu.command],
    sequenceOf: (pdu) => pdu.sequence,
    findLoginRefusal(pdu) {
      if (pdu.command !== 'login_resp') return undefined;
      const { status, authenticator_server: given } = pdu.body;
      if (status !== 0) return nameStatus(status);
      // Servers differ in what they hash: a mismatch proves nothing.
      if (!isLoginAnswerGenuine(status, given, authenticator, config.password)) {
        log.warn({ host: config.host, port: config.port }, 'the gateway did not prove that it knows the secret');
      }
      return undefined;
    },
    createWriter,
  };
}
