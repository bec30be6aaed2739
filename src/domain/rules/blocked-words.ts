// Finds blocked words in a text. Case, width and blanks are ignored. The cost of a text depends on its length, not on the
// number of words: a filter of first pairs passes over almost every position, and a trie decides the rest.

/** Words shorter than this would block half of all texts. */
export const MIN_WORD_LETTERS = 2;

/** The first blocked word of a text, as the operator wrote it. */
export type FindBlockedWord = (normalised: string) => string | undefined;

const ASCII_ONLY = /^[\x21-\x7e ]*$/;
const BLANKS = /[\s\u00ad\u180e\u200b-\u200f\u2060\ufeff]+/gu;

/** What words and texts are compared by. */
export function normaliseForWords(text: string): string {
  const even = ASCII_ONLY.test(text) ? text : text.normalize('NFKC');
  return even.toLowerCase().replace(BLANKS, '');
}

interface Node {
  readonly next: Map<number, Node>;
  word: string | undefined;
}

const FILTER_SIZE = 1 << 16;

function pairSlot(first: number, second: number): number {
  return (Math.imul(first, 31) ^ Math.imul(second, 0x9e37)) & (FILTER_SIZE - 1);
}

/** Undefined where there are no words: then a text costs nothing. */
export function createWordFinder(words: Iterable<string>): FindBlockedWord | undefined {
  const root: Node = { next: new Map(), word: undefined };
  const pairs = new Uint8Array(FILTER_SIZE);
  let isEmpty = true;
  for (const word of words) {
    const normalised = normaliseForWords(word);
    if (normalised.length < MIN_WORD_LETTERS) continue;
    isEmpty = false;
    pairs[pairSlot(normalised.charCodeAt(0), normalised.charCodeAt(1))] = 1;
    insert(root, normalised, word);
  }
  if (isEmpty) return undefined;
  return (text) => {
    for (let at = 0; at + 1 < text.length; at++) {
      if (pairs[pairSlot(text.charCodeAt(at), text.charCodeAt(at + 1))] === 0) continue;
      const found = matchAt(root, text, at);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function insert(root: Node, normalised: string, word: string): void {
  let node = root;
  for (let at = 0; at < normalised.length; at++) {
    const unit = normalised.charCodeAt(at);
    const next = node.next.get(unit) ?? { next: new Map(), word: undefined };
    node.next.set(unit, next);
    node = next;
  }
  node.word ??= word;
}

function matchAt(root: Node, text: string, start: number): string | undefined {
  let node: Node | undefined = root;
  for (let at = start; at < text.length; at++) {
    node = node.next.get(text.charCodeAt(at));
    if (node === undefined) return undefined;
    if (node.word !== undefined) return node.word;
  }
  return undefined;
}
