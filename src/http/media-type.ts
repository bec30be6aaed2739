// What goes in and out is JSON; these two checks say so to whoever sends or expects something else.

import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from './problem.js';

const JSON_TYPE = /^\s*application\/json\s*(?:;|$)/i;
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-8"?\s*(?:;|$))/i;
const OUR_RANGES = new Set(['*/*', 'application/*', 'application/json', 'application/problem+json']);

export function requireJsonBody(headers: IncomingHttpHeaders): void {
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) {
    throw new Problem('unsupported_media_type', 'Send the body as application/json.');
  }
  // JSON has no charset but UTF-8. Whoever says another one means what we would read differently.
  if (OTHER_CHARSET.test(headers['content-type'] ?? '')) {
    throw new Problem('unsupported_media_type', 'Send the body in UTF-8.');
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Problem('unsupported_media_type', 'Send the body without a content encoding.');
  }
}

/** A missing or empty Accept header accepts anything. */
export function requireJsonAccepted(headers: IncomingHttpHeaders): void {
  const accept = headers.accept?.trim() ?? '';
  if (accept === '' || accept.split(',').some(acceptsJson)) return;
  throw new Problem('not_acceptable', 'Answers are application/json, and problems application/problem+json.');
}

function acceptsJson(range: string): boolean {
  const [type = '', ...parameters] = range
    .toLowerCase()
    .split(';')
    .map((piece) => piece.trim());
  return OUR_RANGES.has(type) && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
}
