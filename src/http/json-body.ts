// JSON as a request body, more strictly than JSON.parse: well-formed UTF-8, no byte order mark, no key twice. What two
// readers could read differently is refused rather than guessed at.

import { Problem } from './problem.js';

/** Our deepest request has four levels. */
const MAX_DEPTH = 32;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw malformed('The body is empty.');
  const text = decodeUtf8(bytes);
  if (text.startsWith('\uFEFF')) throw malformed('The body starts with a byte order mark.');
  const value = parse(text);
  if (countWrittenKeys(text) !== countKeys(value, 1)) throw malformed('An object has the same key twice.');
  return value;
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser quotes the body around the fault; message texts and phones do not belong into answers and logs.
    const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
    throw malformed(
      position === undefined ? 'The body is not JSON.' : `The body is not JSON from position ${position}.`,
    );
  }
}

/**
 * How many keys the text writes, which is more than the parsed value has when one is written twice. In valid JSON a
 * string followed by a colon is a key and nothing else is.
 */
function countWrittenKeys(text: string): number {
  let keys = 0;
  let at = text.indexOf('"');
  while (at >= 0) {
    at = endOfString(text, at);
    let next = at;
    while (isSpace(text.charCodeAt(next))) next += 1;
    if (text[next] === ':') keys += 1;
    at = text.indexOf('"', at);
  }
  return keys;
}

/** The position after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function countKeys(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > MAX_DEPTH) throw malformed(`The body is nested more than ${MAX_DEPTH} levels deep.`);
  const members = Object.values(value);
  let keys = Array.isArray(value) ? 0 : members.length;
  for (const member of members) keys += countKeys(member, depth + 1);
  return keys;
}

function malformed(detail: string): Problem {
  return new Problem('malformed_json', detail);
}
