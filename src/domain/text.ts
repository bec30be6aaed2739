// What may be stored and sent as text. Loops over char codes rather than expressions: these run on every string of a
// request of 5,000 numbers.

const isHighSurrogate = (code: number): boolean => (code & 0xfc00) === 0xd800;
const isLowSurrogate = (code: number): boolean => (code & 0xfc00) === 0xdc00;

/**
 * False for a NUL, which PostgreSQL cannot store, and for half a surrogate pair, which has no UTF-8 form and would be
 * stored as another text than the one that was sent.
 */
export function isStorableText(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0 || isLowSurrogate(code)) return false;
    if (isHighSurrogate(code)) {
      at++;
      if (at === text.length || !isLowSurrogate(text.charCodeAt(at))) return false;
    }
  }
  return true;
}

/** Unicode code points, which is what people take for characters: an emoji counts once. */
export function countCharacters(text: string): number {
  let pairs = 0;
  for (let at = 1; at < text.length; at++) {
    if (isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) pairs++;
  }
  return text.length - pairs;
}

/** The C0 and C1 controls and DEL. */
export function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  }
  return false;
}
