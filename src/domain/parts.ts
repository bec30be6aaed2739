// How a text becomes message parts (3GPP TS 23.038 and 23.040). A part carries 140 octets: 160 septets of the GSM
// alphabet or 70 UTF-16 units. A text of several parts gives six octets of each to the header that joins them, which
// leaves 153 septets or 67 units.

export type Encoding = 'gsm7' | 'ucs2';

export interface Parts {
  readonly encoding: Encoding;
  /** At least one; together they are the text. */
  readonly parts: readonly string[];
}

const SINGLE = { gsm7: 160, ucs2: 70 } as const;
const JOINED = { gsm7: 153, ucs2: 67 } as const;

/** The header that joins parts counts them in one octet. A text that needs more cannot be sent. */
export const MAX_PARTS = 255;

/** The basic alphabet in the order of its septets. Position 0x1B, the escape, stands for no character of its own. */
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

function septetsOf(code: number): number {
  return SEPTETS[code] ?? 0;
}

/** The septets of a text in the GSM alphabet, or -1 when it has a character outside it. */
function countSeptets(text: string): number {
  let septets = 0;
  for (let at = 0; at < text.length; at++) {
    const width = septetsOf(text.charCodeAt(at));
    if (width === 0) return -1;
    septets += width;
  }
  return septets;
}

/** Where the part that begins at `start` ends. An escape pair or a surrogate pair moves to the next part whole. */
function findPartEnd(text: string, start: number, encoding: Encoding): number {
  if (encoding === 'ucs2') {
    const end = start + JOINED.ucs2;
    return end < text.length && isSurrogatePair(text, end - 1) ? end - 1 : end;
  }
  let septets = 0;
  let at = start;
  while (at < text.length) {
    septets += septetsOf(text.charCodeAt(at));
    if (septets > JOINED.gsm7) break;
    at++;
  }
  return at;
}

function isSurrogatePair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

export function splitIntoParts(text: string): Parts {
  const septets = countSeptets(text);
  const encoding = septets < 0 ? 'ucs2' : 'gsm7';
  const units = septets < 0 ? text.length : septets;
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
export function countParts(text: string): number {
  const septets = countSeptets(text);
  const encoding = septets < 0 ? 'ucs2' : 'gsm7';
  const units = septets < 0 ? text.length : septets;
  if (units <= SINGLE[encoding]) return 1;
  // Without an escape every septet is a character, and nothing can be moved to the next part.
  if (septets === text.length) return Math.ceil(units / JOINED.gsm7);
  let parts = 0;
  for (let start = 0; start < text.length; parts++) start = findPartEnd(text, start, encoding);
  return parts;
}
