// What a protocol tells the session machinery: how its PDUs are framed and read, what each is to a session, and how the
// session's own PDUs are written. Everything else (window, keepalive, reconnects, drain) is the same for all.

import type { Outbox } from './outbox.js';

/** What a PDU of the peer is to a session. */
export type PduRole =
  | 'login_answer'
  | 'submit_answer'
  | 'keepalive_answer'
  | 'logout_answer'
  /** A login of the peer, on a connection that it opened. */
  | 'login'
  /** A report or an uplink. */
  | 'message'
  | 'keepalive'
  | 'logout'
  /** It needs no answer. */
  | 'ignored'
  /** Malformed or unknown. */
  | 'refused';

/** The answer to a report or uplink: it is stored; it is to come again; too many wait already. */
export type Verdict = 'stored' | 'again' | 'full';

export interface SessionProtocol<Pdu, Submission> {
  /** What the protocol calls its login. */
  readonly loginName: 'bind' | 'connect' | 'login';
  /** The shortest frame there is: the length field counts the header. */
  readonly headerBytes: number;
  readonly maxFrameBytes: number;
  decode(frame: Buffer): Pdu;
  /** `isOpening`: our login is not answered yet. */
  roleOf(pdu: Pdu, isOpening: boolean): PduRole;
  /** What an answer is matched with its request by. */
  sequenceOf(pdu: Pdu): number;
  /** Why the peer refused the login, such as the name of a status; undefined when it accepted. */
  findLoginRefusal(pdu: Pdu): string | undefined;
  createWriter(outbox: Outbox): SessionWriter<Pdu, Submission>;
}

/** Writes into the outbox of one session. Sequences come from the session's window: from 1 to 0x7fffffff, none in flight twice. */
export interface SessionWriter<Pdu, Submission> {
  login(sequence: number): void;
  /** Throws when a field overflows, and then nothing was written. */
  submit(sequence: number, submission: Submission): void;
  /** Left out where the protocol has none. */
  keepalive?(sequence: number): void;
  logout(sequence: number): void;
  answerKeepalive(pdu: Pdu): void;
  answerLogout(pdu: Pdu): void;
  /** False: this protocol has no such answer, and the peer sends the message again because none came. */
  answerMessage(pdu: Pdu, verdict: Verdict): boolean;
  /** Only on connections that the peer opened; `refusal` is undefined when the login is accepted. */
  answerLogin?(pdu: Pdu, refusal: string | undefined): void;
  /** A PDU that is malformed or unknown. Left out where the protocol has no answer for it. */
  refuse?(pdu: Pdu): void;
  /** A frame of impossible length, after which the session ends. */
  refuseFrame?(): void;
}
