// JSON as a request body, more strictly than JSON.parse: well-formed UTF-8, no byte order mark, no key twice. What two
// readers could read differently is refused rather than guessed at.
//
// No body can hold the event loop: its structure is scanned before it is parsed, because 16 MiB of brackets take JSON.parse 15
// seconds, and a large body is parsed in steps. The lists of its top-level object go through JSON.parse a few elements at a
// time; the rest, in which each list is replaced by its number, comes last.

import { isUtf8 } from 'node:buffer';
import { type ErrorText, errorText } from '../../domain/fault/error-text.js';
import { createFault } from '../../domain/fault/fault.js';
import type { Steps } from '../../domain/steps.js';
import { invalidRequest, Problem } from '../problem/problem.js';
import { JsonScan } from './json-scan.js';

/** Any body of up to this size takes the parser a few milliseconds. */
export const MAX_SMALL_BYTES = 256 * 1024;
/** How much of a list goes through the parser at a time. */
const GROUP_BYTES = 32 * 1024;
/** Of one element of a list, and of all that is outside the lists: more than twice what the largest legal recipient takes. */
const MAX_ELEMENT_BYTES = 256 * 1024;

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const SCAN_STEP_BYTES = 64 * 1024;

/** In one go, for a body that is known to be small. */
export function parseJsonBody(bytes: Buffer): unknown {
  checkEncoding(bytes);
  const scan = new JsonScan(bytes);
  scan.advance(bytes.length);
  return parse(bytes.toString('utf8'), scan.keys);
}

/** For a body of any size. */
export function* parseJsonInSteps(bytes: Buffer, groupBytes = GROUP_BYTES): Steps<unknown> {
  checkEncoding(bytes);
  const scan = new JsonScan(bytes, groupBytes);
  while (scan.position < bytes.length) {
    scan.advance(scan.position + SCAN_STEP_BYTES);
    yield;
  }
  const lists: unknown[][] = [];
  let outline = '';
  let outlineKeys = scan.keys;
  let from = 0;
  const take = (to: number): string => {
    if (to - from > MAX_ELEMENT_BYTES + GROUP_BYTES) throw tooLong();
    return bytes.toString('utf8', from, to);
  };
  for (const { kind, at, keys } of scan.cuts) {
    if (kind === 'open') {
      outline += `${take(at)}[${lists.length}`;
      outlineKeys += keys;
      lists.push([]);
      if (outline.length > MAX_ELEMENT_BYTES) throw tooLong();
    } else {
      addElements(lists.at(-1) ?? [], `[${take(at)}]`, keys, kind === 'close');
    }
    from = kind === 'close' ? at : at + 1;
    yield;
  }
  return fillIn(parse(outline + take(bytes.length), outlineKeys), lists);
}

function checkEncoding(bytes: Buffer): void {
  if (bytes.length === 0) throw malformed(errorText('body_empty'));
  if (!isUtf8(bytes)) throw malformed(errorText('body_not_utf8'));
  if (bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) {
    throw malformed(errorText('body_byte_order_mark'));
  }
}

function addElements(list: unknown[], text: string, keys: number, isLast: boolean): void {
  const elements = parse(text, keys);
  if (!Array.isArray(elements)) throw malformed(errorText('body_not_json'));
  // Nothing between two commas; only a list that is empty as a whole has nothing before its end.
  const isGap = elements.length === 0 && !(isLast && list.length === 0);
  if (isGap) throw malformed(errorText('body_not_json'));
  for (const element of elements) list.push(element);
}

/** Puts the lists where their numbers stand. */
function fillIn(outline: unknown, lists: readonly unknown[][]): unknown {
  if (typeof outline !== 'object' || outline === null) return outline;
  const members = outline as Record<string, unknown>;
  for (const [key, member] of Object.entries(members)) {
    if (Array.isArray(member)) members[key] = lists[Number(member[0])];
  }
  return outline;
}

/** In valid JSON every colon outside strings belongs to a key, so fewer keys than that means that one is written twice. */
function parse(text: string, writtenKeys: number): unknown {
  const value = parseText(text);
  if (writtenKeys !== countKeys(value)) throw malformed(errorText('body_key_twice'));
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser quotes the body around the fault; message texts and phones do not belong into answers and logs.
    const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
    throw malformed(
      position === undefined ? errorText('body_not_json') : errorText('body_not_json_from', { position }),
    );
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isList = Array.isArray(value);
  const members: readonly unknown[] = isList ? value : Object.values(value);
  let keys = isList ? 0 : members.length;
  for (const member of members) keys += countKeys(member);
  return keys;
}

function malformed(detail: ErrorText): Problem {
  return new Problem('malformed_json', detail);
}

function tooLong(): Problem {
  const message = errorText('value_too_large', { max: MAX_ELEMENT_BYTES });
  return invalidRequest([createFault('', 'too_long', message)]);
}
