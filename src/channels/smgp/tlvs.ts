// The optional parameters of SMGP, after the fixed fields of Submit and Deliver: tag 2 octets, length 2, value. They come in
// any order; unknown ones are skipped.
import { FieldOverflow, readText } from '../china/fields.js';

/** Those that either side here reads or writes. A string is read by its length, as libraries write it shorter than this. */
const TLVS = {
  tp_pid: { tag: 0x0001, kind: 'uint', octets: 1 },
  tp_udhi: { tag: 0x0002, kind: 'uint', octets: 1 },
  link_id: { tag: 0x0003, kind: 'text', octets: 20 },
  pk_total: { tag: 0x0009, kind: 'uint', octets: 1 },
  pk_number: { tag: 0x000a, kind: 'uint', octets: 1 },
  src_term_type: { tag: 0x000d, kind: 'uint', octets: 1 },
  msg_src: { tag: 0x0010, kind: 'text', octets: 8 },
  m_service_id: { tag: 0x0012, kind: 'text', octets: 21 },
} as const satisfies Record<string, { tag: number; kind: 'uint' | 'text'; octets: number }>;

export type Tlvs = {
  readonly [Name in keyof typeof TLVS]?: (typeof TLVS)[Name]['kind'] extends 'uint' ? number : string;
};

const tlvsByTag = new Map(Object.entries(TLVS).map(([name, { tag, kind }]) => [tag as number, { name, kind }]));

const HEADER_BYTES = 4;

export function encodeTlvs(tlvs: Tlvs): Buffer {
  const pieces = Object.entries(TLVS).flatMap(([name, { tag, kind, octets }]) => {
    const value = tlvs[name as keyof Tlvs];
    if (value === undefined) return [];
    const piece = Buffer.alloc(HEADER_BYTES + octets);
    piece.writeUInt16BE(tag, 0);
    piece.writeUInt16BE(octets, 2);
    if (kind === 'uint') piece[HEADER_BYTES] = value as number;
    else if (piece.write(value as string, HEADER_BYTES, 'latin1') !== (value as string).length) {
      throw new FieldOverflow(name);
    }
    return [piece];
  });
  return Buffer.concat(pieces);
}

/** Reads as far as the parameters make sense. */
export function decodeTlvs(octets: Buffer): Tlvs {
  const tlvs: Record<string, number | string> = {};
  let at = 0;
  while (at + HEADER_BYTES <= octets.length) {
    const start = at + HEADER_BYTES;
    const end = start + octets.readUInt16BE(at + 2);
    if (end > octets.length) break;
    const known = tlvsByTag.get(octets.readUInt16BE(at));
    if (known?.kind === 'text') tlvs[known.name] = readText(octets, start, end);
    else if (known !== undefined && end > start) tlvs[known.name] = octets[end - 1] as number;
    at = end;
  }
  return tlvs as Tlvs;
}
