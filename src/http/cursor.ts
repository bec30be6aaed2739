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

const VERSION = '1';
const CHECK_LENGTH = 6;
const MAX_CURSOR_LENGTH = 256;

export function encodeCursor({ list, page, after }: Cursor): string {
  const text = [VERSION, list, page, after].join(' ');
  return Buffer.from(`${checkOf(text)} ${text}`, 'utf8').toString('base64url');
}

/** Undefined for anything that this service did not make for this list. */
export function decodeCursor(encoded: string, list: string): Cursor | undefined {
  if (encoded.length > MAX_CURSOR_LENGTH) return undefined;
  const bytes = Buffer.from(encoded, 'base64url');
  // Decoding skips what is not base64url, so only a text that encodes back to itself is one of ours.
  if (bytes.toString('base64url') !== encoded) return undefined;
  const [check, version, name, page, ...rest] = bytes.toString('utf8').split(' ');
  const after = rest.join(' ');
  if (version !== VERSION || name !== list || after === '') return undefined;
  if (check !== checkOf([version, name, page, after].join(' '))) return undefined;
  return { list, page: Number(page), after };
}

/** Catches cursors that were cut short or edited; it is no secret, because a cursor opens nothing. */
function checkOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64url').slice(0, CHECK_LENGTH);
}
