// How CMPP, SGIP and SMGP encode text. The format octet is `Msg_Fmt`, `MessageCoding` or `MsgFormat`; its values are the
// same in all three. Format 0 is ASCII, not the GSM alphabet.

export const FORMAT = { ascii: 0, ucs2: 8, gb18030: 15, flashAscii: 16, flashUcs2: 24 } as const;

const SIM_CARD = 3;

type Alphabet = 'ascii' | 'ucs2' | 'gb18030' | 'binary';

export interface EncodedText {
  readonly format: number;
  readonly octets: Buffer;
}

/** ASCII where every character is, else UCS-2. A flash text shows at once and is not kept by the handset. */
export function encodeText(text: string, isFlash = false): EncodedText {
  if (isAscii(text)) {
    return { format: isFlash ? FORMAT.flashAscii : FORMAT.ascii, octets: Buffer.from(text, 'latin1') };
  }
  return encodeUcs2(text, isFlash);
}

/** Big-endian, without a byte-order mark; characters beyond the basic plane go as surrogate pairs. */
export function encodeUcs2(text: string, isFlash = false): EncodedText {
  return { format: isFlash ? FORMAT.flashUcs2 : FORMAT.ucs2, octets: Buffer.from(text, 'utf16le').swap16() };
}

export function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) return false;
  }
  return true;
}

/** Reads inbound octets; never fails, whatever the format claims. Binary content becomes hexadecimal. */
export function decodeText(octets: Buffer, format: number): string {
  return decode(octets, alphabetOf(format));
}

/**
 * Joins the contents of a long message. Parts may differ in format; neighbours of one alphabet are joined before they are
 * decoded, since gateways split between the halves of a character.
 */
export function decodeTexts(parts: readonly EncodedText[]): string {
  let text = '';
  let pending: Buffer[] = [];
  parts.forEach(({ format, octets }, index) => {
    pending.push(octets);
    const alphabet = alphabetOf(format);
    const next = parts[index + 1];
    if (next !== undefined && alphabetOf(next.format) === alphabet) return;
    text += decode(Buffer.concat(pending), alphabet);
    pending = [];
  });
  return text;
}

const gb18030 = new TextDecoder('gb18030');

function decode(octets: Buffer, alphabet: Alphabet): string {
  switch (alphabet) {
    case 'binary':
      return octets.toString('hex');
    case 'ucs2':
      return decodeUcs2(octets);
    case 'ascii':
    case 'gb18030':
      // Octets above 0x7f in "ASCII" are GBK in practice, and a GB18030 decoder reads all three.
      return gb18030.decode(octets);
  }
}

function decodeUcs2(octets: Buffer): string {
  const even = Buffer.from(octets.subarray(0, octets.length & ~1));
  return even.swap16().toString('utf16le');
}

/** Values outside the table of the three protocols follow GSM 03.38, as gateways pass them through. */
function alphabetOf(format: number): Alphabet {
  if (format === SIM_CARD) return 'binary';
  if (format >= 0xf0) return (format & 0x04) === 0 ? 'ascii' : 'binary';
  if (format >= 0xe0) return 'ucs2';
  if (format >= 0x80) return 'ascii';
  const alphabets = ['ascii', 'binary', 'ucs2', 'gb18030'] as const;
  return alphabets[(format >> 2) & 0x03] ?? 'ascii';
}
