// Cursors: where a list was left, in a form that only we read and only we make. The key of a row may be a phone number or a word, which
// a masked caller may not see, nor find by asking what comes behind a number of its choice. A cursor names no customer: the customer
// comes from the credentials alone, so a cursor that was handed on shows its holder nothing but the holder's own rows.
//
// The same row has the same cursor each time, so that files can be compared. That is the SIV construction (RFC 5297): a keyed tag of the
// text begins the cursor and the text is enciphered under that tag. Every row of a file has a cursor, so those of a page are made
// together: each step is one call of the cipher for all of them, which costs a tenth of a call for each.

import { type Cipher, createCipheriv, createHash, timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../../store/secrets/seal.js';

export interface Cursor {
  /** The list it belongs to; another list refuses it. */
  readonly list: string;
  /** The page that it leads to, so that the answer can go on numbering. */
  readonly page: number;
  /** The key of the last row already shown. */
  readonly after: string;
}

export interface Cursors {
  seal(cursor: Cursor): string;
  /** For many rows of one list. */
  sealAll(list: string, page: number, keys: readonly string[]): string[];
  /** Undefined for anything that this service did not make for this list. */
  open(encoded: string, list: string): Cursor | undefined;
}

const BLOCK_BYTES = 16;
const MAX_CURSOR_CHARACTERS = 1024;

/** During a rotation of the secret key, cursors made under the old one are still read. */
export function createCursors(sealer: Pick<Sealer, 'deriveKeys'>): Cursors {
  const tagKeys = sealer.deriveKeys('cursor tag');
  const textKeys = sealer.deriveKeys('cursor text');
  const ciphers = tagKeys.flatMap((tagKey, at) => {
    const textKey = textKeys[at];
    return textKey === undefined ? [] : [{ tag: createBlockCipher(tagKey), text: createBlockCipher(textKey) }];
  });
  const [current] = ciphers;
  if (current === undefined) throw new Error('there is no key for cursors');
  const sealAll: Cursors['sealAll'] = (list, page, keys) => {
    const texts = keys.map((key) => Buffer.from(`${page} ${key}`, 'utf8'));
    const tags = tagAll(current.tag, list, texts);
    const enciphered = encipherAll(current.text, tags, texts);
    return texts.map((_, at) => `${encode(tags, at)}${enciphered[at]?.toString('base64url')}`);
  };
  return {
    sealAll,
    seal: ({ list, page, after }) => sealAll(list, page, [after])[0] ?? '',
    open(encoded, list) {
      if (encoded.length > MAX_CURSOR_CHARACTERS || encoded.length <= TAG_CHARACTERS) return undefined;
      const tag = Buffer.from(encoded.slice(0, TAG_CHARACTERS), 'base64url');
      const sealed = Buffer.from(encoded.slice(TAG_CHARACTERS), 'base64url');
      // Decoding skips what is not base64url, so only a text that encodes back to itself is one of ours.
      if (tag.toString('base64url') + sealed.toString('base64url') !== encoded) return undefined;
      for (const cipher of ciphers) {
        const [text = sealed] = encipherAll(cipher.text, tag, [sealed]);
        if (timingSafeEqual(tagAll(cipher.tag, list, [text]), tag)) return readText(text.toString('utf8'), list);
      }
      return undefined;
    },
  };
}

function readText(text: string, list: string): Cursor | undefined {
  const space = text.indexOf(' ');
  const after = text.slice(space + 1);
  return after === '' ? undefined : { list, page: Number(text.slice(0, space)), after };
}

/** 16 bytes as base64url. */
const TAG_CHARACTERS = 22;

function encode(tags: Buffer, at: number): string {
  return tags.toString('base64url', at * BLOCK_BYTES, (at + 1) * BLOCK_BYTES);
}

function createBlockCipher(key: Buffer): Cipher {
  return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
}

/**
 * A CBC-MAC of each text, one behind the other. The first block holds the list and the length of the text: so no text is the beginning
 * of another, which a CBC-MAC needs.
 */
function tagAll(cipher: Cipher, list: string, texts: readonly Buffer[]): Buffer {
  const listHash = createHash('sha256').update(list).digest();
  const first = Buffer.alloc(texts.length * BLOCK_BYTES);
  for (const [at, { length }] of texts.entries()) {
    listHash.copy(first, at * BLOCK_BYTES, 0, BLOCK_BYTES - 2);
    first.writeUInt16BE(length, (at + 1) * BLOCK_BYTES - 2);
  }
  const tags = cipher.update(first);
  for (let start = 0; texts.some(({ length }) => length > start); start += BLOCK_BYTES) {
    const next = Buffer.from(tags);
    for (const [at, text] of texts.entries()) exclusiveOr(next, at * BLOCK_BYTES, text, start);
    const enciphered = cipher.update(next);
    for (const [at, { length }] of texts.entries()) {
      const offset = at * BLOCK_BYTES;
      if (length > start) enciphered.copy(tags, offset, offset, offset + BLOCK_BYTES);
    }
  }
  return tags;
}

/** Each text under its tag in counter mode, which undoes itself. */
function encipherAll(cipher: Cipher, tags: Buffer, texts: readonly Buffer[]): Buffer[] {
  const results = texts.map((text) => Buffer.from(text));
  for (let start = 0; texts.some(({ length }) => length > start); start += BLOCK_BYTES) {
    const counters = Buffer.from(tags);
    for (const at of texts.keys()) counters[at * BLOCK_BYTES] = (tags[at * BLOCK_BYTES] ?? 0) ^ (start / BLOCK_BYTES);
    const stream = cipher.update(counters);
    for (const [at, result] of results.entries()) {
      for (let index = 0; index < BLOCK_BYTES && start + index < result.length; index++) {
        result[start + index] = (result[start + index] ?? 0) ^ (stream[at * BLOCK_BYTES + index] ?? 0);
      }
    }
  }
  return results;
}

/** Up to a block of `text`, from `start` on, into `target`. */
function exclusiveOr(target: Buffer, offset: number, text: Buffer, start: number): void {
  const end = Math.min(BLOCK_BYTES, text.length - start);
  for (let index = 0; index < end; index++) {
    target[offset + index] = (target[offset + index] ?? 0) ^ (text[start + index] ?? 0);
  }
}
