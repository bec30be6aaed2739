// Splits a text into message parts (3GPP TS 23.038 and 23.040). A part carries 140 octets: 160 septets of the GSM alphabet, 140 ASCII
// characters or 70 UTF-16 units. In a text of several parts, six octets of each are for the concatenation header, which leaves 153
// septets, 134 characters or 67 units. The alphabet besides UCS-2 depends on the protocol: SMPP has the GSM alphabet, CMPP, SGIP and
// SMGP have ASCII.

export type Alphabet = Exclude<Encoding, 'ucs2'>;
export const ENCODINGS = ['gsm7', 'ascii', 'ucs2'] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface Parts {
  readonly encoding: Encoding;
  /** At least one; together they are the text. */
  readonly parts: readonly string[];
}

const SINGLE: Readonly<Record<Encoding, number>> = { gsm7: 160, ascii: 140, ucs2: 70 };
const JOINED: Readonly<Record<Encoding, number>> = { gsm7: 153, ascii: 134, ucs2: 67 };

/** The concatenation header counts parts in one octet. A text that needs more cannot be sent. */
export const MAX_PARTS = 255;

/** The basic alphabet in the order of its septets. Position 0x1B is the escape, not a character. */
export const GSM_BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

/** The extension table: the septet that follows the escape. */
export const GSM_EXTENSION: ReadonlyMap<string, number> = new Map([
  ['\f', 0x0a],
  ['^', 0x14],
  ['{', 0x28],
  ['}', 0x29],
  ['\\', 0x2f],
  ['[', 0x3c],
  ['~', 0x3d],
  [']', 0x3e],
  ['|', 0x40],
  ['€', 0x65],
]);

/** Septets a UTF-16 unit takes; zero: not in the alphabet. As large as the index can be, so that no read is out of bounds. */
const SEPTETS = new Uint8Array(0x10000);
for (const char of GSM_BASIC) if (char !== '\u001b') SEPTETS[char.charCodeAt(0)] = 1;
for (const char of GSM_EXTENSION.keys()) SEPTETS[char.charCodeAt(0)] = 2;

const ASCII = new Uint8Array(0x10000).fill(1, 0, 0x80);

const WIDTHS: Readonly<Record<Alphabet, Uint8Array>> = { gsm7: SEPTETS, ascii: ASCII };

/** The septets or characters of a text in an alphabet, or -1 when it has a character outside it. */
function countUnits(text: string, alphabet: Alphabet): number {
  const widths = WIDTHS[alphabet];
  let units = 0;
  for (let at = 0; at < text.length; at++) {
    const width = widths[text.charCodeAt(at)] ?? 0;
    if (width === 0) return -1;
    units += width;
  }
  return units;
}

/** Where the part that begins at `start` ends. An escape pair or a surrogate pair moves to the next part whole. */
function findPartEnd(text: string, start: number, encoding: Encoding): number {
  if (encoding === 'ucs2') {
    const end = start + JOINED.ucs2;
    return end < text.length && isSurrogatePair(text, end - 1) ? end - 1 : end;
  }
  const widths = WIDTHS[encoding];
  let units = 0;
  let at = start;
  while (at < text.length) {
    units += widths[text.charCodeAt(at)] ?? 0;
    if (units > JOINED[encoding]) break;
    at++;
  }
  return at;
}

function isSurrogatePair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

export function splitIntoParts(text: string, alphabet: Alphabet): Parts {
  const counted = countUnits(text, alphabet);
  const encoding = counted < 0 ? 'ucs2' : alphabet;
  const units = counted < 0 ? text.length : counted;
  if (units <= SINGLE[encoding]) return { encoding, parts: [text] };
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = findPartEnd(text, start, encoding);
    parts.push(text.slice(start, end));
    start = end;
  }
  return { encoding, parts };
}

/** As many parts as `splitIntoParts` makes, without making them: what a number is priced by. */
export function countParts(text: string, alphabet: Alphabet): number {
  const counted = countUnits(text, alphabet);
  const encoding = counted < 0 ? 'ucs2' : alphabet;
  const units = counted < 0 ? text.length : counted;
  if (units <= SINGLE[encoding]) return 1;
  // Where every unit is a character, nothing can move to the next part.
  if (counted === text.length) return Math.ceil(units / JOINED[encoding]);
  let parts = 0;
  for (let start = 0; start < text.length; parts++) start = findPartEnd(text, start, encoding);
  return parts;
}
