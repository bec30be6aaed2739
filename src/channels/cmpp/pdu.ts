// CMPP 2.0 and 3.0 as data: commands with their fields in wire order, and the octets each field takes in either version.
// The codec reads this table, and the types of every PDU follow from it.
import type { BodyOf, CommandTable, PduIn } from '../china/codec.js';
import type { FieldKind } from '../china/fields.js';

export type CmppVersion = '2.0' | '3.0';

/** What `Version` of a Connect says. 0x21 has the layouts of 2.0. */
export const VERSION_OCTETS: Readonly<Record<CmppVersion, number>> = { '2.0': 0x20, '3.0': 0x30 };

/** Name, kind, octets in 2.0, octets in 3.0. A field of 0 octets does not exist in that version. */
type FieldRow = readonly [name: string, kind: FieldKind, octets2: number, octets3: number];

const SUBMIT_FIELDS = [
  ['msg_id', 'hex', 8, 8],
  ['pk_total', 'uint', 1, 1],
  ['pk_number', 'uint', 1, 1],
  ['registered_delivery', 'uint', 1, 1],
  ['msg_level', 'uint', 1, 1],
  ['service_id', 'text', 10, 10],
  ['fee_user_type', 'uint', 1, 1],
  ['fee_terminal_id', 'text', 21, 32],
  ['fee_terminal_type', 'uint', 0, 1],
  ['tp_pid', 'uint', 1, 1],
  ['tp_udhi', 'uint', 1, 1],
  ['msg_fmt', 'uint', 1, 1],
  ['msg_src', 'text', 6, 6],
  ['fee_type', 'text', 2, 2],
  ['fee_code', 'text', 6, 6],
  ['valid_time', 'text', 17, 17],
  ['at_time', 'text', 17, 17],
  ['src_id', 'text', 21, 21],
  ['dest_terminal_ids', 'texts', 21, 32],
  ['dest_terminal_type', 'uint', 0, 1],
  ['msg_content', 'content', 1, 1],
  ['reserve', 'tail', 8, 0],
  ['link_id', 'tail', 0, 20],
] as const;

const DELIVER_FIELDS = [
  ['msg_id', 'hex', 8, 8],
  ['dest_id', 'text', 21, 21],
  ['service_id', 'text', 10, 10],
  ['tp_pid', 'uint', 1, 1],
  ['tp_udhi', 'uint', 1, 1],
  ['msg_fmt', 'uint', 1, 1],
  ['src_terminal_id', 'text', 21, 32],
  ['src_terminal_type', 'uint', 0, 1],
  ['registered_delivery', 'uint', 1, 1],
  ['msg_content', 'content', 1, 1],
  ['reserve', 'tail', 8, 0],
  ['link_id', 'tail', 0, 20],
] as const;

const RESULT_FIELDS = [
  ['msg_id', 'hex', 8, 8],
  ['result', 'uint', 1, 4],
] as const;

export const COMMANDS = {
  connect: {
    id: 0x00000001,
    fields: [
      ['source_addr', 'text', 6, 6],
      ['authenticator_source', 'hex', 16, 16],
      ['version', 'uint', 1, 1],
      ['timestamp', 'uint', 4, 4],
    ],
  },
  connect_resp: {
    id: 0x80000001,
    fields: [
      ['status', 'uint', 1, 4],
      ['authenticator_ismg', 'hex', 16, 16],
      ['version', 'uint', 1, 1],
    ],
  },
  terminate: { id: 0x00000002, fields: [] },
  terminate_resp: { id: 0x80000002, fields: [] },
  submit: { id: 0x00000004, fields: SUBMIT_FIELDS },
  submit_resp: { id: 0x80000004, fields: RESULT_FIELDS },
  deliver: { id: 0x00000005, fields: DELIVER_FIELDS },
  deliver_resp: { id: 0x80000005, fields: RESULT_FIELDS },
  active_test: { id: 0x00000008, fields: [] },
  // The octet is zero. Peers leave it out.
  active_test_resp: { id: 0x80000008, fields: [['reserved', 'tail', 1, 1]] },
} as const satisfies CommandTable<FieldRow>;

export type Command = keyof typeof COMMANDS;

export type Body<C extends Command> = BodyOf<typeof COMMANDS, C>;

export type PduOf<C extends Command> = PduIn<typeof COMMANDS, C, number>;

export type Pdu = PduOf<Command>;

/** No id: what a Submit carries, and an answer that has none to give. */
export const NO_MESSAGE_ID = '0'.repeat(16);
