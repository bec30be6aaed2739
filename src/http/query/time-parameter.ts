// The two spellings of a time in a query: RFC 3339 with an offset, or milliseconds since the epoch.

import { clampMs, parseRfc3339Ms } from '../../domain/rfc3339.js';

const EPOCH_MS = /^\d{1,15}$/;

/** Undefined when the text is no time. */
export function parseTimeMs(text: string): number | undefined {
  if (EPOCH_MS.test(text)) return clampMs(Number(text));
  // A plus sign that was sent unescaped reads as a space in a query; it can mean nothing else here.
  return parseRfc3339Ms(text.replace(' ', '+'));
}
