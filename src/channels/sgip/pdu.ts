// SGIP 1.2 as data: commands with their fields in wire order. The codec reads this table, and the types of every PDU follow
// from it.
import type { BodyOf, CommandTable, PduIn } from '../china/codec.js';
import type { SgipSequence } from './sequence.js';

const RESULT_FIELDS = [
  ['result', 'uint', 1],
  ['reserve', 'tail', 8],
] as const;

const SUBMIT_FIELDS = [
  ['sp_number', 'text', 21],
  ['charge_number', 'text', 21],
  ['user_numbers', 'texts', 21],
  ['corp_id', 'text', 5],
  ['service_type', 'text', 10],
  ['fee_type', 'uint', 1],
  ['fee_value', 'text', 6],
  ['given_value', 'text', 6],
  ['agent_flag', 'uint', 1],
  ['mo_relate_to_mt_flag', 'uint', 1],
  ['priority', 'uint', 1],
  ['expire_time', 'text', 16],
  ['schedule_time', 'text', 16],
  ['report_flag', 'uint', 1],
  ['tp_pid', 'uint', 1],
  ['tp_udhi', 'uint', 1],
  ['message_coding', 'uint', 1],
  ['message_type', 'uint', 1],
  ['message_content', 'content', 4],
  ['reserve', 'tail', 8],
] as const;

const DELIVER_FIELDS = [
  ['user_number', 'text', 21],
  ['sp_number', 'text', 21],
  ['tp_pid', 'uint', 1],
  ['tp_udhi', 'uint', 1],
  ['message_coding', 'uint', 1],
  ['message_content', 'content', 4],
  ['reserve', 'tail', 8],
] as const;

const REPORT_FIELDS = [
  ['submit_sequence', 'hex', 12],
  ['report_type', 'uint', 1],
  ['user_number', 'text', 21],
  ['state', 'uint', 1],
  ['error_code', 'uint', 1],
  ['reserve', 'tail', 8],
] as const;

const USER_REPORT_FIELDS = [
  ['sp_number', 'text', 21],
  ['user_number', 'text', 21],
  ['user_condition', 'uint', 1],
  ['reserve', 'tail', 8],
] as const;

export const COMMANDS = {
  bind: {
    id: 0x00000001,
    fields: [
      ['login_type', 'uint', 1],
      ['login_name', 'text', 16],
      ['login_password', 'text', 16],
      ['reserve', 'tail', 8],
    ],
  },
  bind_resp: { id: 0x80000001, fields: RESULT_FIELDS },
  unbind: { id: 0x00000002, fields: [] },
  unbind_resp: { id: 0x80000002, fields: [] },
  submit: { id: 0x00000003, fields: SUBMIT_FIELDS },
  submit_resp: { id: 0x80000003, fields: RESULT_FIELDS },
  deliver: { id: 0x00000004, fields: DELIVER_FIELDS },
  deliver_resp: { id: 0x80000004, fields: RESULT_FIELDS },
  report: { id: 0x00000005, fields: REPORT_FIELDS },
  report_resp: { id: 0x80000005, fields: RESULT_FIELDS },
  user_report: { id: 0x00000011, fields: USER_REPORT_FIELDS },
  user_report_resp: { id: 0x80000011, fields: RESULT_FIELDS },
} as const satisfies CommandTable;

/** `login_type` of a Bind. */
export const LOGIN_TYPE = { toGateway: 1, fromGateway: 2, test: 11 } as const;

export type Command = keyof typeof COMMANDS;

export type Body<C extends Command> = BodyOf<typeof COMMANDS, C>;

export type PduOf<C extends Command> = PduIn<typeof COMMANDS, C, SgipSequence>;

export type Pdu = PduOf<Command>;
