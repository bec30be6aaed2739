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

const isLayout = (code: number): boolean => code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d;
const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code <= 0x9f);

/**
 * A text of strangers as it may be stored, logged and shown: without controls other than those of layout, without halves of
 * surrogate pairs, and no longer than `maxLength` UTF-16 units. Most texts come back as they are, at the cost of a look.
 */
export function cleanText(text: string, maxLength: number): string {
  return clean(text, maxLength, isLayout);
}

/** The same for an id, a code or an address, which has no layout. */
export function cleanWord(word: string, maxLength: number): string {
  return clean(word, maxLength, () => false);
}

function clean(text: string, maxLength: number, isKept: (code: number) => boolean): string {
  if (text.length <= maxLength && isClean(text, isKept)) return text;
  let cleaned = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (isControl(code) && !isKept(code)) continue;
    const isHalf = code >= 0xd800 && code <= 0xdfff;
    const next = isHalf ? '\ufffd' : character;
    if (cleaned.length + next.length > maxLength) break;
    cleaned += next;
  }
  return cleaned;
}

function isClean(text: string, isKept: (code: number) => boolean): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isControl(code) && !isKept(code)) return false;
  }
  return isStorableText(text);
}
