// SGIP as a session speaks it, on connections of either side.
import type { Part } from '../channel.js';
import { formatLoginTime } from '../china/beijing-time.js';
import { MAX_FRAME_BYTES, type MalformedPdu } from '../china/fields.js';
import type { Outbox } from '../session/outbox.js';
import type { PduRole, SessionProtocol, SessionWriter } from '../session/protocol.js';
import { decodePdu, encodePdu, HEADER_BYTES } from './codec.js';
import { type Body, type Command, LOGIN_TYPE, type Pdu } from './pdu.js';
import { nameResult } from './results.js';
import type { SgipSequence } from './sequence.js';

export type SgipPdu = Pdu | MalformedPdu<SgipSequence>;

export interface SgipSubmission {
  readonly part: Part;
  readonly body: Body<'submit'>;
}

export interface SgipProtocolOptions {
  readonly node: number;
  readonly account: string;
  readonly password: string;
  readonly now: () => number;
  /** Called before the socket sees the part. */
  readonly onSubmit: (sequence: SgipSequence, part: Part) => void;
}

/** More than any PDU of this side takes: the longest content has 140 octets. */
const MAX_PDU_BYTES = 512;
const OK = { result: 0, reserve: '' };
export const BAD_LOGIN = 1;

const ROLES: Readonly<Record<Command | 'malformed', PduRole>> = {
  bind: 'login',
  bind_resp: 'login_answer',
  submit_resp: 'submit_answer',
  unbind: 'logout',
  unbind_resp: 'logout_answer',
  // On whichever connection they come: some gateways use ours.
  deliver: 'message',
  report: 'message',
  user_report: 'message',
  // What only a client sends, answers to what it never asks, and what cannot be read.
  submit: 'refused',
  deliver_resp: 'refused',
  report_resp: 'refused',
  user_report_resp: 'refused',
  malformed: 'refused',
};

export function createSgipProtocol(options: SgipProtocolOptions): SessionProtocol<SgipPdu, SgipSubmission> {
  const { node, account, password } = options;
  const readTime = createTimeWord(options.now);

  function createWriter(outbox: Outbox): SessionWriter<SgipPdu, SgipSubmission> {
    function send<C extends Command>(command: C, sequence: SgipSequence, body?: Body<NoInfer<C>>): void {
      outbox.add(MAX_PDU_BYTES, (slab, at) => encodePdu(slab, at, command, sequence, body));
    }
    const ask = (counter: number): SgipSequence => ({ node, time: readTime(), counter });
    return {
      login(counter) {
        const login = { login_type: LOGIN_TYPE.toGateway, login_name: account, login_password: password, reserve: '' };
        send('bind', ask(counter), login);
      },
      submit(counter, { part, body }) {
        const sequence = ask(counter);
        send('submit', sequence, body);
        options.onSubmit(sequence, part);
      },
      logout: (counter) => send('unbind', ask(counter)),
      // SGIP has no keepalive.
      answerKeepalive() {},
      answerLogout: (pdu) => send('unbind_resp', pdu.sequence),
      answerLogin(pdu, refusal) {
        send('bind_resp', pdu.sequence, refusal === undefined ? OK : { ...OK, result: BAD_LOGIN });
      },
      answerMessage({ command, sequence }, acknowledgement) {
        // An error answer would be final: what could not be stored is left for the gateway to send again.
        if (acknowledgement !== 'stored') return false;
        if (command === 'deliver') send('deliver_resp', sequence, OK);
        else if (command === 'report') send('report_resp', sequence, OK);
        else send('user_report_resp', sequence, OK);
        return true;
      },
    };
  }

  return {
    loginName: 'bind',
    headerBytes: HEADER_BYTES,
    maxFrameBytes: MAX_FRAME_BYTES,
    decode: decodePdu,
    roleOf: (pdu) => ROLES[pdu.command],
    // Gateways answer with another time in the middle, which does not count. No request of ours has the number 0.
    sequenceOf: ({ sequence }) => (sequence.node === node ? sequence.counter : 0),
    findLoginRefusal: (pdu) =>
      pdu.command === 'bind_resp' && pdu.body.result !== 0 ? nameResult(pdu.body.result) : undefined,
    createWriter,
  };
}

/** The second word of a sequence number; formatted once a second. */
function createTimeWord(now: () => number): () => number {
  let second = -1;
  let time = 0;
  return () => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) {
      second = current;
      time = Number(formatLoginTime(now()));
    }
    return time;
  };
}
