// SMPP 3.4 as data: commands with their fields in wire order, optional parameters, and status codes. The codec reads
// these tables, and the types of every PDU follow from them, so that a field cannot exist in one place only.

/** `octets` is a length byte followed by that many octets: sm_length and short_message of the specification. */
type FieldKind = 'int1' | 'cstring' | 'octets';
type TlvKind = 'int1' | 'int2' | 'int4' | 'cstring' | 'octets';

interface CommandDefinition {
  readonly id: number;
  /** Name, kind, and for strings the most octets including the terminator. */
  readonly fields: readonly (readonly [name: string, kind: FieldKind, limit: number])[];
}

const BIND_FIELDS = [
  ['system_id', 'cstring', 16],
  // The specification says 9; carriers hand out longer ones all the same.
  ['password', 'cstring', 65],
  ['system_type', 'cstring', 13],
  ['interface_version', 'int1', 1],
  ['addr_ton', 'int1', 1],
  ['addr_npi', 'int1', 1],
  ['address_range', 'cstring', 41],
] as const;

const BIND_ANSWER_FIELDS = [['system_id', 'cstring', 16]] as const;

const MESSAGE_FIELDS = [
  ['service_type', 'cstring', 6],
  ['source_addr_ton', 'int1', 1],
  ['source_addr_npi', 'int1', 1],
  ['source_addr', 'cstring', 21],
  ['dest_addr_ton', 'int1', 1],
  ['dest_addr_npi', 'int1', 1],
  ['destination_addr', 'cstring', 21],
  ['esm_class', 'int1', 1],
  ['protocol_id', 'int1', 1],
  ['priority_flag', 'int1', 1],
  ['schedule_delivery_time', 'cstring', 17],
  ['validity_period', 'cstring', 17],
  ['registered_delivery', 'int1', 1],
  ['replace_if_present_flag', 'int1', 1],
  ['data_coding', 'int1', 1],
  ['sm_default_msg_id', 'int1', 1],
  ['short_message', 'octets', 254],
] as const;

const DATA_FIELDS = [
  ['service_type', 'cstring', 6],
  ['source_addr_ton', 'int1', 1],
  ['source_addr_npi', 'int1', 1],
  ['source_addr', 'cstring', 65],
  ['dest_addr_ton', 'int1', 1],
  ['dest_addr_npi', 'int1', 1],
  ['destination_addr', 'cstring', 65],
  ['esm_class', 'int1', 1],
  ['registered_delivery', 'int1', 1],
  ['data_coding', 'int1', 1],
] as const;

const MESSAGE_ID_FIELDS = [['message_id', 'cstring', 65]] as const;

export const COMMANDS = {
  generic_nack: { id: 0x80000000, fields: [] },
  bind_receiver: { id: 0x00000001, fields: BIND_FIELDS },
  bind_receiver_resp: { id: 0x80000001, fields: BIND_ANSWER_FIELDS },
  bind_transmitter: { id: 0x00000002, fields: BIND_FIELDS },
  bind_transmitter_resp: { id: 0x80000002, fields: BIND_ANSWER_FIELDS },
  submit_sm: { id: 0x00000004, fields: MESSAGE_FIELDS },
  submit_sm_resp: { id: 0x80000004, fields: MESSAGE_ID_FIELDS },
  deliver_sm: { id: 0x00000005, fields: MESSAGE_FIELDS },
  deliver_sm_resp: { id: 0x80000005, fields: MESSAGE_ID_FIELDS },
  unbind: { id: 0x00000006, fields: [] },
  unbind_resp: { id: 0x80000006, fields: [] },
  bind_transceiver: { id: 0x00000009, fields: BIND_FIELDS },
  bind_transceiver_resp: { id: 0x80000009, fields: BIND_ANSWER_FIELDS },
  outbind: {
    id: 0x0000000b,
    fields: [
      ['system_id', 'cstring', 16],
      ['password', 'cstring', 9],
    ],
  },
  enquire_link: { id: 0x00000015, fields: [] },
  enquire_link_resp: { id: 0x80000015, fields: [] },
  alert_notification: {
    id: 0x00000102,
    fields: [
      ['source_addr_ton', 'int1', 1],
      ['source_addr_npi', 'int1', 1],
      ['source_addr', 'cstring', 65],
      ['esme_addr_ton', 'int1', 1],
      ['esme_addr_npi', 'int1', 1],
      ['esme_addr', 'cstring', 65],
    ],
  },
  data_sm: { id: 0x00000103, fields: DATA_FIELDS },
  data_sm_resp: { id: 0x80000103, fields: MESSAGE_ID_FIELDS },
} as const satisfies Record<string, CommandDefinition>;

/** The optional parameters that either side here reads or writes; any other is skipped. */
export const TLVS = {
  source_port: { tag: 0x020a, kind: 'int2' },
  destination_port: { tag: 0x020b, kind: 'int2' },
  receipted_message_id: { tag: 0x001e, kind: 'cstring' },
  user_message_reference: { tag: 0x0204, kind: 'int2' },
  sar_msg_ref_num: { tag: 0x020c, kind: 'int2' },
  sar_total_segments: { tag: 0x020e, kind: 'int1' },
  sar_segment_seqnum: { tag: 0x020f, kind: 'int1' },
  sc_interface_version: { tag: 0x0210, kind: 'int1' },
  network_error_code: { tag: 0x0423, kind: 'octets' },
  message_payload: { tag: 0x0424, kind: 'octets' },
  message_state: { tag: 0x0427, kind: 'int1' },
} as const satisfies Record<string, { tag: number; kind: TlvKind }>;

export const STATUS = {
  ESME_ROK: 0x00,
  ESME_RINVMSGLEN: 0x01,
  ESME_RINVCMDLEN: 0x02,
  ESME_RINVCMDID: 0x03,
  ESME_RINVBNDSTS: 0x04,
  ESME_RALYBND: 0x05,
  ESME_RINVPRTFLG: 0x06,
  ESME_RINVREGDLVFLG: 0x07,
  ESME_RSYSERR: 0x08,
  ESME_RINVSRCADR: 0x0a,
  ESME_RINVDSTADR: 0x0b,
  ESME_RINVMSGID: 0x0c,
  ESME_RBINDFAIL: 0x0d,
  ESME_RINVPASWD: 0x0e,
  ESME_RINVSYSID: 0x0f,
  ESME_RCANCELFAIL: 0x11,
  ESME_RREPLACEFAIL: 0x13,
  ESME_RMSGQFUL: 0x14,
  ESME_RINVSERTYP: 0x15,
  ESME_RINVNUMDESTS: 0x33,
  ESME_RINVDLNAME: 0x34,
  ESME_RINVDESTFLAG: 0x40,
  ESME_RINVSUBREP: 0x42,
  ESME_RINVESMCLASS: 0x43,
  ESME_RCNTSUBDL: 0x44,
  ESME_RSUBMITFAIL: 0x45,
  ESME_RINVSRCTON: 0x48,
  ESME_RINVSRCNPI: 0x49,
  ESME_RINVDSTTON: 0x50,
  ESME_RINVDSTNPI: 0x51,
  ESME_RINVSYSTYP: 0x53,
  ESME_RINVREPFLAG: 0x54,
  ESME_RINVNUMMSGS: 0x55,
  ESME_RTHROTTLED: 0x58,
  ESME_RINVSCHED: 0x61,
  ESME_RINVEXPIRY: 0x62,
  ESME_RINVDFTMSGID: 0x63,
  ESME_RX_T_APPN: 0x64,
  ESME_RX_P_APPN: 0x65,
  ESME_RX_R_APPN: 0x66,
  ESME_RQUERYFAIL: 0x67,
  ESME_RINVOPTPARSTREAM: 0xc0,
  ESME_ROPTPARNOTALLWD: 0xc1,
  ESME_RINVPARLEN: 0xc2,
  ESME_RMISSINGOPTPARAM: 0xc3,
  ESME_RINVOPTPARAMVAL: 0xc4,
  ESME_RDELIVERYFAILURE: 0xfe,
  ESME_RUNKNOWNERR: 0xff,
} as const;

export type Command = keyof typeof COMMANDS;
export type BindCommand = 'bind_receiver' | 'bind_transmitter' | 'bind_transceiver';
export type TlvName = keyof typeof TLVS;
export type StatusName = keyof typeof STATUS;

interface KindValues {
  int1: number;
  int2: number;
  int4: number;
  cstring: string;
  octets: Buffer;
}

type FieldsOf<C extends Command> = (typeof COMMANDS)[C]['fields'][number];

export type Body<C extends Command> = {
  [F in FieldsOf<C> as F extends readonly [infer N extends string, ...unknown[]] ? N : never]: F extends readonly [
    string,
    infer K extends FieldKind,
    number,
  ]
    ? KindValues[K]
    : never;
};

export type Tlvs = { [T in TlvName]?: KindValues[(typeof TLVS)[T]['kind']] };

export interface PduOf<C extends Command> {
  readonly command: C;
  readonly status: number;
  readonly sequence: number;
  readonly body: Body<C>;
  readonly tlvs: Tlvs;
}

export type Pdu = { [C in Command]: PduOf<C> }[Command];

/** A frame that could be delimited but not read; `status` says what to answer. */
export interface MalformedPdu {
  readonly command: 'malformed';
  readonly commandId: number;
  readonly sequence: number;
  readonly status: number;
}

/** A message with every field zero or empty, to be spread into one that is not. */
export const EMPTY_MESSAGE: Body<'submit_sm'> = {
  service_type: '',
  source_addr_ton: 0,
  source_addr_npi: 0,
  source_addr: '',
  dest_addr_ton: 0,
  dest_addr_npi: 0,
  destination_addr: '',
  esm_class: 0,
  protocol_id: 0,
  priority_flag: 0,
  schedule_delivery_time: '',
  validity_period: '',
  registered_delivery: 0,
  replace_if_present_flag: 0,
  data_coding: 0,
  sm_default_msg_id: 0,
  short_message: Buffer.alloc(0),
};

const statusNames = new Map<number, StatusName>(
  Object.entries(STATUS).map(([name, code]) => [code, name as StatusName] as const),
);

/** The name of a status, or for codes of a carrier's own the number as eight hexadecimal digits. */
export function nameStatus(status: number): string {
  return statusNames.get(status) ?? `0x${status.toString(16).padStart(8, '0')}`;
}
