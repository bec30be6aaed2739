// What goes in is JSON, and what goes out too, save where an operation offers itself as a file as well.

import type { IncomingHttpHeaders } from 'node:http';
import { errorText } from '../domain/fault/error-text.js';
import { Problem } from './problem/problem.js';

const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;
const JSON_TYPE = /^\s*application\/json\s*(?:;|$)/i;
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-8"?\s*(?:;|$))/i;
const JSON_RANGES = new Set(['*/*', 'application/*', 'application/json', 'application/problem+json']);

/** What is given must be a media type, even where no body is taken. */
export function requireMediaType(headers: IncomingHttpHeaders): void {
  const given = headers['content-type'];
  if (given !== undefined && !MEDIA_TYPE.test(given)) {
    throw new Problem('unsupported_media_type', errorText('body_media_type'));
  }
}

export function requireJsonBody(headers: IncomingHttpHeaders): void {
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) {
    throw new Problem('unsupported_media_type', errorText('body_media_type'));
  }
  // JSON is UTF-8. With another charset the text would be misread.
  if (OTHER_CHARSET.test(headers['content-type'] ?? '')) {
    throw new Problem('unsupported_media_type', errorText('body_charset'));
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Problem('unsupported_media_type', errorText('body_encoded'));
  }
}

export const JSON_MEDIA_TYPE = 'application/json';
export const CSV_MEDIA_TYPE = 'text/csv';
export const NDJSON_MEDIA_TYPE = 'application/x-ndjson';

/** What an operation may offer beside JSON. */
export type FileType = typeof CSV_MEDIA_TYPE | typeof NDJSON_MEDIA_TYPE;
export type AnswerType = typeof JSON_MEDIA_TYPE | FileType;

/**
 * The type that the caller likes best of those on offer, the first named of equals. A missing or empty Accept header
 * accepts anything, and so do ranges: they get JSON. Files are asked for by their own names.
 */
export function chooseAnswerType(headers: IncomingHttpHeaders, files: readonly FileType[]): AnswerType {
  const accept = headers.accept?.trim() ?? '';
  if (accept === '') return JSON_MEDIA_TYPE;
  let best: { readonly type: AnswerType; readonly quality: number } | undefined;
  for (const range of accept.split(',')) {
    const { name, quality } = readRange(range);
    const type = JSON_RANGES.has(name) ? JSON_MEDIA_TYPE : files.find((file) => file === name);
    if (type !== undefined && quality > (best?.quality ?? 0)) best = { type, quality };
  }
  if (best !== undefined) return best.type;
  const offered = [JSON_MEDIA_TYPE, ...files].join(', ');
  throw new Problem('not_acceptable', errorText('media_type_not_offered', { types: offered }));
}

function readRange(range: string): { readonly name: string; readonly quality: number } {
  const [name = '', ...parameters] = range
    .toLowerCase()
    .split(';')
    .map((piece) => piece.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  // A weight that cannot be read is taken for none.
  return { name, quality: weight === undefined || !/^[01](?:\.\d*)?$/.test(weight) ? 1 : Number(weight) };
}
