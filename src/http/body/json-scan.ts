// Reads the structure of a JSON text from its bytes, without parsing it: cheap enough to do before JSON.parse, whose time and
// memory a hostile text can drive up. It refuses what no request of ours comes near, and finds the places where a large text
// can be cut. What it lets through need not be valid; the parser decides that.

import { type ErrorText, errorText } from '../../domain/fault/error-text.js';
import { createFault } from '../../domain/fault/fault.js';
import { invalidRequest, Problem } from '../problem/problem.js';

/** Our deepest request has four levels. */
const MAX_DEPTH = 32;
/** The largest legal request, 5,000 recipients with 18 variables each, has 105,000. */
const MAX_VALUES = 250_000;
/** Objects with many keys are slow to build and to walk. Our largest has 30. */
const MAX_KEYS_IN_OBJECT = 1000;

/** The lists that may be cut are those of the top-level object. */
const LIST_DEPTH = 2;

export interface Cut {
  /** `open` and `close` are the brackets of a list, `comma` stands between two of its elements. */
  readonly kind: 'open' | 'comma' | 'close';
  readonly at: number;
  /** How many keys are written since the cut before. */
  readonly keys: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const IS_STRUCTURAL = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) IS_STRUCTURAL[byte] = 1;

/** Up to here a loop finds the end of a string sooner than a call does. */
const SHORT_STRING_BYTES = 48;

/** A class, because a loop over fields is compiled well, and one in a generator or over variables of a closure is not. */
export class JsonScan {
  readonly cuts: Cut[] = [];
  /** Written since the last cut. */
  keys = 0;
  position = 0;
  readonly #bytes: Buffer;
  readonly #groupBytes: number;
  readonly #keysAtDepth: number[] = [0];
  #depth = 0;
  #values = 0;
  #lastCut = 0;
  #isInList = false;

  /** Lists are cut between elements, into groups of at least so many bytes. */
  constructor(bytes: Buffer, groupBytes = Number.POSITIVE_INFINITY) {
    this.#bytes = bytes;
    this.#groupBytes = groupBytes;
  }

  /** Continues to this position, or to the end of the string there. */
  advance(until: number): void {
    const bytes = this.#bytes;
    const end = Math.min(until, bytes.length);
    let at = this.position;
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (IS_STRUCTURAL[byte] === 0) continue;
      if (byte === QUOTE) at = findStringEnd(bytes, at);
      else if (byte === COMMA) this.#separate(at);
      else if (byte === COLON) this.#countKey();
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open(at, byte);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#close(at, byte);
    }
    this.position = at;
    if (this.#values > MAX_VALUES) throw tooMany(errorText('too_many_values', { max: MAX_VALUES }));
    if (at >= bytes.length && this.#isInList) throw malformed(errorText('body_list_open'));
  }

  #separate(at: number): void {
    this.#values += 1;
    if (this.#isInList && this.#depth === LIST_DEPTH && at - this.#lastCut >= this.#groupBytes) this.#cut('comma', at);
  }

  #countKey(): void {
    this.keys += 1;
    const keys = (this.#keysAtDepth[this.#depth] ?? 0) + 1;
    this.#keysAtDepth[this.#depth] = keys;
    if (keys > MAX_KEYS_IN_OBJECT) throw tooMany(errorText('too_many_members', { max: MAX_KEYS_IN_OBJECT }));
  }

  #open(at: number, bracket: number): void {
    this.#values += 1;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw malformed(errorText('body_too_deep', { max: MAX_DEPTH }));
    this.#keysAtDepth[this.#depth] = 0;
    if (this.#depth !== LIST_DEPTH || bracket !== OPEN_LIST || this.#groupBytes === Number.POSITIVE_INFINITY) return;
    this.#isInList = true;
    this.#cut('open', at);
  }

  #close(at: number, bracket: number): void {
    const isEndOfList = this.#isInList && this.#depth === LIST_DEPTH;
    if (this.#depth === 0 || (isEndOfList && bracket === CLOSE_OBJECT)) {
      throw malformed(errorText('body_not_json_from', { position: at }));
    }
    this.#depth -= 1;
    if (!isEndOfList) return;
    this.#isInList = false;
    this.#cut('close', at);
  }

  #cut(kind: Cut['kind'], at: number): void {
    this.cuts.push({ kind, at, keys: this.keys });
    this.keys = 0;
    this.#lastCut = at;
  }
}

/** The place of the closing quote, or the end where there is none. */
function findStringEnd(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (const end = Math.min(bytes.length, at + SHORT_STRING_BYTES); at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  for (let from = at; ; from = at + 1) {
    at = bytes.indexOf(QUOTE, from);
    if (at < 0) return bytes.length;
    let backslashes = 0;
    while (at - 1 - backslashes >= from && bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

function malformed(detail: ErrorText): Problem {
  return new Problem('malformed_json', detail);
}

function tooMany(message: ErrorText): Problem {
  return invalidRequest([createFault('', 'too_many', message)]);
}
