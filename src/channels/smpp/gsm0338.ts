// The GSM 03.38 default alphabet: one octet a septet (unpacked), or eight septets in seven octets (packed).
import { GSM_BASIC, GSM_EXTENSION } from '../../domain/message/parts.js';

const ESCAPE = 0x1b;

// Septets by UTF-16 code unit: below 256 a basic code, from 256 an escape and the rest.
const codeOfUnit = new Map<number, number>();
for (let code = 0; code < GSM_BASIC.length; code += 1) {
  if (code !== ESCAPE) codeOfUnit.set(GSM_BASIC.charCodeAt(code), code);
}
const characterOfExtension = new Map<number, string>();
for (const [character, code] of GSM_EXTENSION) {
  codeOfUnit.set(character.charCodeAt(0), 256 + code);
  characterOfExtension.set(code, character);
}

// Most text is ASCII: an array lookup spares it the map.
const codeOfAscii = Int16Array.from({ length: 128 }, (_, unit) => codeOfUnit.get(unit) ?? -1);

/** The septets of a text, one an octet; undefined when a character is not of the alphabet. */
export function encodeGsm0338(text: string): Buffer | undefined {
  const septets = Buffer.allocUnsafe(text.length * 2);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const code = unit < 128 ? (codeOfAscii[unit] as number) : (codeOfUnit.get(unit) ?? -1);
    if (code < 0) return undefined;
    if (code >= 256) {
      septets[length] = ESCAPE;
      length += 1;
    }
    septets[length] = code & 0xff;
    length += 1;
  }
  return septets.subarray(0, length);
}

export function decodeGsm0338(septets: Buffer): string {
  let text = '';
  for (let index = 0; index < septets.length; index += 1) {
    const code = (septets[index] as number) & 0x7f;
    if (code === ESCAPE && index + 1 < septets.length) {
      index += 1;
      const extended = (septets[index] as number) & 0x7f;
      // An undefined extension shows as its basic character, as the standard asks of handsets.
      text += characterOfExtension.get(extended) ?? GSM_BASIC.charAt(extended);
    } else {
      // An escape that nothing follows shows as a space.
      text += code === ESCAPE ? ' ' : GSM_BASIC.charAt(code);
    }
  }
  return text;
}

/** Packs septets; `headerBytes` octets of header before them are filled up to a septet boundary first. */
export function packSeptets(septets: Buffer, headerBytes = 0): Buffer {
  const fillBits = (7 - ((headerBytes * 8) % 7)) % 7;
  const packed = Buffer.alloc(Math.ceil((fillBits + septets.length * 7) / 8));
  let bit = fillBits;
  for (let index = 0; index < septets.length; index += 1) {
    const code = (septets[index] as number) & 0x7f;
    const at = bit >> 3;
    const shifted = code << (bit & 7);
    packed[at] = (packed[at] as number) | (shifted & 0xff);
    if (shifted > 0xff) packed[at + 1] = shifted >> 8;
    bit += 7;
  }
  return packed;
}

export function unpackSeptets(packed: Buffer, headerBytes = 0): Buffer {
  const fillBits = (7 - ((headerBytes * 8) % 7)) % 7;
  const count = Math.max(0, Math.floor((packed.length * 8 - fillBits) / 7));
  const septets = Buffer.alloc(count);
  let bit = fillBits;
  for (let index = 0; index < count; index += 1) {
    const at = bit >> 3;
    const pair = (packed[at] as number) | ((packed[at + 1] ?? 0) << 8);
    septets[index] = (pair >> (bit & 7)) & 0x7f;
    bit += 7;
  }
  // Seven spare bits at the end read as one more character; encoders leave them zero or fill them with a carriage return.
  const isSpare = (packed.length * 8 - fillBits) % 7 === 0;
  const last = septets[count - 1];
  return isSpare && (last === 0 || last === 0x0d) ? septets.subarray(0, count - 1) : septets;
}
