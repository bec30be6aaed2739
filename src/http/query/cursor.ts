// Cursors: where a list was left, in a form that only we read. A cursor names no customer: the customer comes from the
// credentials alone, so a cursor that was handed on shows its holder nothing but the holder's own rows.

import { createHash } from 'node:crypto';

export interface Cursor {
  /** The list it belongs to; another list refuses it. */
  readonly list: string;
  /** The page that it leads to, so that the answer can go on numbering. */
  readonly page: number;
  /** The key of the last row already shown. */
  readonly after: string;
}

const VERSION = '2';
const MAX_CURSOR_LENGTH = 256;

/**
 * They catch cursors that were cut short or edited. They have no key on purpose: a forged cursor is a position in the holder's own
 * list, which filters and pages reach as well, and a key would end every cursor that a customer keeps when it changes.
 */
const CHECKS: Readonly<Record<string, (text: string) => string>> = {
  // Customers keep cursors for a long time, so those of old versions stay readable.
  1: (text) => createHash('sha256').update(text, 'utf8').digest('base64url').slice(0, 6),
  // Every row of a file has one: the hash of version 1 cost a sixth of the whole export.
  2: (text) => writeHash(hash(text)),
};

export function encodeCursor({ list, page, after }: Cursor): string {
  return createCursors(list, page)(after);
}

/** For many rows of one list: what is the same in all their cursors is hashed once. */
export function createCursors(list: string, page: number): (after: string) => string {
  const beginning = `${VERSION} ${list} ${page} `;
  const hashOfBeginning = hash(beginning);
  return (after) => {
    const text = `${writeHash(hash(after, hashOfBeginning))} ${beginning}${after}`;
    return Buffer.from(text, 'utf8').toString('base64url');
  };
}

/** Undefined for anything that this service did not make for this list. */
export function decodeCursor(encoded: string, list: string): Cursor | undefined {
  if (encoded.length > MAX_CURSOR_LENGTH) return undefined;
  const bytes = Buffer.from(encoded, 'base64url');
  // Decoding skips what is not base64url, so only a text that encodes back to itself is one of ours.
  if (bytes.toString('base64url') !== encoded) return undefined;
  const [check, version = '', name, page, ...rest] = bytes.toString('utf8').split(' ');
  const after = rest.join(' ');
  if (name !== list || after === '') return undefined;
  if (check !== checkOf(version, [version, name, page, after].join(' '))) return undefined;
  return { list, page: Number(page), after };
}

/** FNV-1a of 32 bits over the code units. */
function hash(text: string, before = 0x811c9dc5): number {
  let value = before;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value;
}

function writeHash(value: number): string {
  return (value >>> 0).toString(36);
}

/** Undefined for a version that there never was. */
function checkOf(version: string, text: string): string | undefined {
  return Object.hasOwn(CHECKS, version) ? CHECKS[version]?.(text) : undefined;
}
