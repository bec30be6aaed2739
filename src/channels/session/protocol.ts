// What differs between protocols: how PDUs are framed and decoded, the role of each PDU in a session, and how the session's PDUs are
// written. The rest (window, keepalive, reconnect, drain) is shared.

import type { Outbox } from './outbox.js';

/** The role of a received PDU. */
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

/** The answer to a report or uplink: stored, send it again, or too many are waiting. */
export type Acknowledgement = 'stored' | 'again' | 'full';

export interface SessionProtocol<Pdu, Submission> {
  /** What the protocol calls its login. */
  readonly loginName: 'bind' | 'connect' | 'login';
  /** The length of the shortest frame. */
  readonly headerBytes: number;
  readonly maxFrameBytes: number;
  decode(frame: Buffer): Pdu;
  /** `isOpening`: our login is not answered yet. */
  roleOf(pdu: Pdu, isOpening: boolean): PduRole;
  /** Matches an answer with its request. */
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
  /** Omitted if the protocol has none. */
  keepalive?(sequence: number): void;
  logout(sequence: number): void;
  answerKeepalive(pdu: Pdu): void;
  answerLogout(pdu: Pdu): void;
  /** Returns false if the protocol has no such answer: the peer sends the message again because none arrived. */
  answerMessage(pdu: Pdu, acknowledgement: Acknowledgement): boolean;
  /** Only on connections that the peer opened; `refusal` is undefined when the login is accepted. */
  answerLogin?(pdu: Pdu, refusal: string | undefined): void;
  /** Answers a malformed or unknown PDU. Omitted if the protocol has no such answer. */
  refuse?(pdu: Pdu): void;
  /** A frame of impossible length, after which the session ends. */
  refuseFrame?(): void;
}
