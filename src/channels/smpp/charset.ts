// What the octets of a message mean. DCS 0 is whatever alphabet the carrier chose as its default, hence a charset a
// channel; the other codings are fixed by SMPP 3.4 and GSM 03.38.
import { decodeGsm0338, encodeGsm0338, packSeptets, unpackSeptets } from './gsm0338.js';

export type Charset = 'gsm0338' | 'gsm0338_packed' | 'latin1' | 'ascii' | 'utf8';

/** The octets of a text in a channel's default alphabet; undefined when it cannot say it. */
export function encodeText(text: string, charset: Charset, headerBytes: number): Buffer | undefined {
  switch (charset) {
    case 'gsm0338':
      return encodeGsm0338(text);
    case 'gsm0338_packed': {
      const septets = encodeGsm0338(text);
      return septets === undefined ? undefined : packSeptets(septets, headerBytes);
    }
    case 'latin1':
      return encodeBelow(text, 0x100);
    case 'ascii':
      return encodeBelow(text, 0x80);
    case 'utf8':
      return Buffer.from(text, 'utf8');
  }
}

function encodeBelow(text: string, limit: number): Buffer | undefined {
  const octets = Buffer.allocUnsafe(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= limit) return undefined;
    octets[index] = unit;
  }
  return octets;
}

/** UTF-16 in network order, which is what carriers mean by UCS-2. */
export function encodeUcs2(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

function decodeUcs2(octets: Buffer): string {
  const even = Buffer.from(octets.subarray(0, octets.length & ~1));
  return even.swap16().toString('utf16le');
}

/** Reads inbound octets; never fails, whatever the data coding claims. */
export function decodeText(octets: Buffer, dataCoding: number, charset: Charset, headerBytes: number): string {
  switch (alphabetOf(dataCoding)) {
    case 'ucs2':
      return decodeUcs2(octets);
    case 'ascii':
    case 'latin1':
      return octets.toString('latin1');
    case 'default':
      return decodeDefault(octets, charset, headerBytes);
  }
}

function decodeDefault(octets: Buffer, charset: Charset, headerBytes: number): string {
  switch (charset) {
    case 'gsm0338':
      return decodeGsm0338(octets);
    case 'gsm0338_packed':
      return decodeGsm0338(unpackSeptets(octets, headerBytes));
    case 'latin1':
    case 'ascii':
      return octets.toString('latin1');
    case 'utf8':
      return octets.toString('utf8');
  }
}

function alphabetOf(dataCoding: number): 'default' | 'ascii' | 'latin1' | 'ucs2' {
  if (dataCoding === 0x01) return 'ascii';
  if (dataCoding === 0x08) return 'ucs2';
  // Binary (2, 4) and obsolete alphabets are kept octet by octet rather than lost.
  if (dataCoding > 0x01 && dataCoding < 0x10) return 'latin1';
  // The message classes of GSM 03.38: the alphabet is in bits 2 and 3, or in bit 2 alone for the last group.
  if (dataCoding >= 0xf0) return (dataCoding & 0x04) === 0 ? 'default' : 'latin1';
  if (dataCoding >= 0xe0) return 'ucs2';
  if (dataCoding >= 0x80) return 'default';
  const bits = (dataCoding >> 2) & 0x03;
  return bits === 2 ? 'ucs2' : bits === 1 ? 'latin1' : 'default';
}
