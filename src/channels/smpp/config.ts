// The configuration of an SMPP channel. Every field carries its description; docs/smpp.md is compared with it by a test.
import { type Static, Type } from '@sinclair/typebox';
import { errorText } from '../../domain/fault/error-text.js';
import { createFault, type Fault } from '../../domain/fault/fault.js';
import type { MessageIdFormat } from '../../domain/message/message-id.js';
import { inForm } from '../../domain/request/text-forms.js';

const word = (maxLength: number, description: string) =>
  Type.String({ maxLength, ...inForm('ascii'), default: '', description });
const octet = (value: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 255, default: value, description });
const milliseconds = (value: number, minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, default: value, description });
const choice = <const T extends readonly [string, ...string[]]>(values: T, description: string) =>
  Type.Unsafe<T[number]>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { default: values[0], description },
    ),
  );

export const SmppConfigSchema = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 255, description: 'Name or address of the message centre.' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'Its TCP port.' }),
    system_id: Type.String({ minLength: 1, maxLength: 15, ...inForm('ascii'), description: 'Account name.' }),
    password: Type.String({
      maxLength: 64,
      ...inForm('ascii'),
      writeOnly: true,
      description: 'Its password. Stored sealed, never shown again.',
    }),
    tls: Type.Boolean({ default: false, description: 'Connect with TLS.' }),
    tls_ca: Type.Optional(
      Type.String({ maxLength: 65_536, description: 'PEM certificates to trust instead of the public ones.' }),
    ),
    tls_server_name: Type.Optional(
      Type.String({ maxLength: 255, description: 'Name the certificate must carry, where it is not the host.' }),
    ),
    tls_verify: Type.Boolean({ default: true, description: 'Refuse a certificate that cannot be verified.' }),
    system_type: word(12, 'Type of the account, as the carrier assigns it.'),
    bind: choice(
      ['transceiver', 'transmitter_receiver'],
      'One connection for both directions, or one for each. With the latter every session is a pair of connections.',
    ),
    address_range: word(40, 'Addresses the receiving side serves, as the carrier asks for it.'),
    address_ton: octet(0, 'Type of number of `address_range`.'),
    address_npi: octet(0, 'Numbering plan of `address_range`.'),
    sessions: Type.Integer({ minimum: 1, maximum: 32, default: 1, description: 'Sessions kept up at once.' }),
    window: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 10,
      description: 'Unanswered segments a session may have. A lost connection makes at most that many unknown.',
    }),
    enquire_link_ms: milliseconds(30_000, 100, 3_600_000, 'Silence after which the peer is asked whether it is there.'),
    response_timeout_ms: milliseconds(
      10_000,
      50,
      600_000,
      'How long an answer is waited for. A segment without one is unknown; an unanswered `enquire_link` ends the session.',
    ),
    connect_timeout_ms: milliseconds(10_000, 50, 600_000, 'How long connecting may take, and then the bind.'),
    reconnect_min_ms: milliseconds(
      500,
      1,
      600_000,
      'First pause before connecting again. It doubles with each failure, and half of it is random.',
    ),
    reconnect_max_ms: milliseconds(60_000, 1, 3_600_000, 'Longest pause before connecting again.'),
    unsent_after_ms: milliseconds(
      1_000,
      0,
      60_000,
      'How long a segment waits for a session when none is up before it is given back unsent.',
    ),
    service_type: word(5, 'Service of the carrier to use.'),
    source_address: Type.Optional(
      Type.String({ minLength: 1, maxLength: 20, description: "Sender to use instead of the service account's." }),
    ),
    source_ton: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 255,
        description:
          'Type of number of the sender. Derived: 5 for a name, 3 for up to eight digits, 1 for a longer number.',
      }),
    ),
    source_npi: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 255,
        description: 'Numbering plan of the sender. Derived: 1 for a number of more than eight digits, else 0.',
      }),
    ),
    destination_ton: octet(1, 'Type of number of the destination.'),
    destination_npi: octet(1, 'Numbering plan of the destination.'),
    charset: choice(
      ['gsm0338', 'gsm0338_packed', 'latin1', 'ascii', 'utf8'],
      "The carrier's default alphabet: what data coding 0 means, one octet a septet unless packed.",
    ),
    data_coding_gsm7: octet(0, 'Data coding of text in the default alphabet.'),
    data_coding_ucs2: octet(8, 'Data coding of text in UCS-2.'),
    long_message: choice(
      ['udh8', 'udh16', 'sar', 'payload'],
      'How segments say which message they belong to: a header with an 8-bit reference, with a 16-bit one where all segments leave room for it, SAR parameters, or the 8-bit header with the text in `message_payload`.',
    ),
    registered_delivery: octet(1, 'Which receipts are asked for; 1 is every final one.'),
    protocol_id: octet(0, 'Protocol identifier.'),
    priority_flag: octet(0, 'Priority.'),
    validity_period_s: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 5_356_800,
        description: 'How long the carrier tries to deliver. Its own default when left out.',
      }),
    ),
    expiry: choice(
      ['absolute', 'relative'],
      'How the carrier learns when a message expires: by the time (UTC), or by how long from now, for carriers whose clock cannot be relied on.',
    ),
    user_message_reference: Type.Boolean({
      default: false,
      description: 'Send a reference with each segment, for carriers that echo it in the receipt.',
    }),
    throttle_codes: Type.Array(Type.Integer({ minimum: 1, maximum: 0xffffffff }), {
      maxItems: 32,
      default: [0x58, 0x14],
      description:
        'Answers that mean "slower": the segment goes again. `ESME_RTHROTTLED` and `ESME_RMSGQFUL` by default.',
    }),
    message_id_format: choice(
      ['auto', 'exact', 'hex_then_decimal', 'decimal_then_hex'] satisfies readonly [
        MessageIdFormat,
        ...MessageIdFormat[],
      ],
      'How the id of the answer is spelled in the receipt: any of the ways seen, letter for letter, or hexadecimal in one and decimal in the other.',
    ),
    receipts: choice(
      ['marked', 'by_text'],
      'How a receipt is distinguished from a message of a handset: by the marks of the carrier (`esm_class` or parameters), or also by the look of its text, for carriers that mark none. With `by_text` a handset can forge a receipt.',
    ),
    receipt_utc_offset_minutes: Type.Integer({
      minimum: -840,
      maximum: 840,
      default: 0,
      description: "Offset of the carrier's clock in receipts.",
    }),
    reassembly_ms: milliseconds(
      8_000,
      10,
      600_000,
      'How long the segments of a long reply are waited for. Keep it under the time the carrier waits for an answer.',
    ),
    uplink_ack: choice(
      ['stored', 'received'],
      'When a segment of a long reply is acknowledged: when the whole is stored, or at once, for carriers that send the next segment only then.',
    ),
  },
  { additionalProperties: false },
);

export type SmppConfig = Static<typeof SmppConfigSchema>;

export function checkPauses({
  reconnect_min_ms = 0,
  reconnect_max_ms = Infinity,
}: Partial<SmppConfig>): readonly Fault[] {
  if (reconnect_max_ms >= reconnect_min_ms) return [];
  return [createFault('/reconnect_max_ms', 'out_of_range', errorText('below_reconnect_minimum'))];
}
