// SMGP 3.0 as data: commands with their fields in wire order, and optional parameters. The codec reads these tables, and the
// types of every PDU follow from them.
import type { BodyOf, CommandTable, PduIn } from '../china/codec.js';

const SUBMIT_FIELDS = [
  ['msg_type', 'uint', 1],
  ['need_report', 'uint', 1],
  ['priority', 'uint', 1],
  ['service_id', 'text', 10],
  ['fee_type', 'text', 2],
  ['fee_code', 'text', 6],
  ['fixed_fee', 'text', 6],
  ['msg_format', 'uint', 1],
  ['valid_time', 'text', 17],
  ['at_time', 'text', 17],
  ['src_term_id', 'text', 21],
  ['charge_term_id', 'text', 21],
  ['dest_term_ids', 'texts', 21],
  ['msg_content', 'content', 1],
  ['reserve', 'tail', 8],
  ['tlvs', 'rest', 0],
] as const;

const DELIVER_FIELDS = [
  ['msg_id', 'hex', 10],
  ['is_report', 'uint', 1],
  ['msg_format', 'uint', 1],
  ['recv_time', 'text', 14],
  ['src_term_id', 'text', 21],
  ['dest_term_id', 'text', 21],
  ['msg_content', 'content', 1],
  ['reserve', 'tail', 8],
  ['tlvs', 'rest', 0],
] as const;

const STATUS_FIELDS = [
  ['msg_id', 'hex', 10],
  ['status', 'uint', 4],
] as const;

export const COMMANDS = {
  login: {
    id: 0x00000001,
    fields: [
      ['client_id', 'text', 8],
      ['authenticator_client', 'hex', 16],
      ['login_mode', 'uint', 1],
      ['timestamp', 'uint', 4],
      ['client_version', 'uint', 1],
    ],
  },
  login_resp: {
    id: 0x80000001,
    fields: [
      ['status', 'uint', 4],
      ['authenticator_server', 'hex', 16],
      ['server_version', 'uint', 1],
    ],
  },
  submit: { id: 0x00000002, fields: SUBMIT_FIELDS },
  submit_resp: { id: 0x80000002, fields: STATUS_FIELDS },
  deliver: { id: 0x00000003, fields: DELIVER_FIELDS },
  deliver_resp: { id: 0x80000003, fields: STATUS_FIELDS },
  active_test: { id: 0x00000004, fields: [] },
  active_test_resp: { id: 0x80000004, fields: [] },
  exit: { id: 0x00000006, fields: [] },
  exit_resp: { id: 0x80000006, fields: [] },
} as const satisfies CommandTable;

export const SMGP_VERSION = 0x30;

/** `login_mode`: with 0 and 1 a session is a pair of connections, one for each direction. */
export const LOGIN_MODE = { send: 0, receive: 1, both: 2 } as const;

export type Command = keyof typeof COMMANDS;

export type Body<C extends Command> = BodyOf<typeof COMMANDS, C>;

export type PduOf<C extends Command> = PduIn<typeof COMMANDS, C, number>;

export type Pdu = PduOf<Command>;

/** No id: what an answer carries that has none to give. */
export const NO_MESSAGE_ID = '0'.repeat(20);
