// Concatenation of long messages: a user data header with an 8-bit or 16-bit reference before the text, or SAR parameters. All are
// read inbound; a channel writes the one that it is configured for.
import type { Part } from '../channel.js';
import type { ReferenceAllocator } from '../session/concatenation.js';
import { checkSegment, createHeader, readSegment, type Segment } from '../session/user-data-header.js';
import { type Charset, encodeText, encodeUcs2 } from './charset.js';
import type { Tlvs } from './pdu.js';

export type LongMessageMethod = 'udh8' | 'udh16' | 'sar' | 'payload';

export interface EncodingRules {
  readonly charset: Charset;
  readonly data_coding_gsm7: number;
  readonly data_coding_ucs2: number;
  readonly long_message: LongMessageMethod;
}

export interface EncodedText {
  readonly esmClass: number;
  readonly dataCoding: number;
  readonly shortMessage: Buffer;
  readonly tlvs: Tlvs | undefined;
}

const UDHI = 0x40;
const UDH16_BYTES = 7;
/** The capacity of one short message, header included. */
const MAX_AIR_BYTES = 140;
const MAX_AIR_SEPTETS = 160;
const MAX_SHORT_MESSAGE_BYTES = 254;
const NOTHING = Buffer.alloc(0);

/** Undefined if the channel's alphabet or length cannot carry the text. */
export function encodePart(
  part: Part,
  submitted: readonly Part[],
  rules: EncodingRules,
  references: ReferenceAllocator,
): EncodedText | undefined {
  if (part.parts === 1) return encodeWithHeader(part, NOTHING, rules, undefined);
  const reference = references.referenceOf(part, () => rules.long_message === 'udh16' && canBeWide(part, submitted));
  if (rules.long_message === 'sar') {
    const tlvs: Tlvs = {
      sar_msg_ref_num: reference.value,
      sar_total_segments: part.parts,
      sar_segment_seqnum: part.part,
    };
    return encodeWithHeader(part, NOTHING, rules, tlvs);
  }
  return encodeWithHeader(
    part,
    createHeader({ reference: reference.value, part: part.part, parts: part.parts }, reference.isWide),
    rules,
    undefined,
  );
}

/**
 * Parts have up to 153 septets or 67 characters, which leaves room for the 8-bit header only. A message gets the 16-bit header only
 * if all its parts are submitted together and are short enough: handsets do not join parts with different headers.
 */
function canBeWide(first: Part, submitted: readonly Part[]): boolean {
  const start = submitted.indexOf(first);
  if (first.part !== 1 || start < 0) return false;
  for (let index = 0; index < first.parts; index += 1) {
    const part = submitted[start + index];
    if (part === undefined || part.part !== index + 1 || part.to !== first.to || part.from !== first.from) return false;
    if (!fitsAir(part, UDH16_BYTES)) return false;
  }
  return true;
}

function fitsAir(part: Part, headerBytes: number): boolean {
  if (part.encoding === 'ucs2') return part.text.length * 2 + headerBytes <= MAX_AIR_BYTES;
  const septets = encodeText(part.text, 'gsm0338', 0);
  return septets !== undefined && septets.length + Math.ceil((headerBytes * 8) / 7) <= MAX_AIR_SEPTETS;
}

function encodeWithHeader(
  part: Part,
  header: Buffer,
  rules: EncodingRules,
  tlvs: Tlvs | undefined,
): EncodedText | undefined {
  let octets = part.encoding === 'gsm7' ? encodeText(part.text, rules.charset, header.length) : undefined;
  const isDefaultAlphabet = octets !== undefined;
  if (octets === undefined) {
    // A text with characters outside the carrier's default alphabet is sent as UCS-2 if it is short enough.
    octets = encodeUcs2(part.text);
    if (octets.length + header.length > MAX_AIR_BYTES) return undefined;
  }
  const message = header.length === 0 ? octets : Buffer.concat([header, octets]);
  if (message.length > MAX_SHORT_MESSAGE_BYTES) return undefined;
  const dataCoding = isDefaultAlphabet ? rules.data_coding_gsm7 : rules.data_coding_ucs2;
  const esmClass = header.length === 0 ? 0 : UDHI;
  return rules.long_message === 'payload'
    ? { esmClass, dataCoding, shortMessage: NOTHING, tlvs: { message_payload: message } }
    : { esmClass, dataCoding, shortMessage: message, tlvs };
}

export interface InboundText {
  readonly octets: Buffer;
  /** The length of the user data header, which unpacking septets needs. */
  readonly headerBytes: number;
  readonly segment: Segment | undefined;
}

/** Reads the concatenation header or SAR parameters. An invalid header stays in the text. */
export function readInbound(esmClass: number, shortMessage: Buffer, tlvs: Tlvs): InboundText {
  const message = shortMessage.length === 0 && tlvs.message_payload !== undefined ? tlvs.message_payload : shortMessage;
  const headerBytes = (esmClass & UDHI) === 0 || message.length === 0 ? 0 : (message[0] as number) + 1;
  if (headerBytes > 1 && headerBytes <= message.length) {
    const segment = readSegment(message.subarray(1, headerBytes));
    return { octets: message.subarray(headerBytes), headerBytes, segment };
  }
  const { sar_msg_ref_num: reference, sar_total_segments: parts, sar_segment_seqnum: part } = tlvs;
  const segment = reference !== undefined && part !== undefined ? checkSegment(reference, parts ?? 1, part) : undefined;
  return { octets: message, headerBytes: 0, segment };
}
