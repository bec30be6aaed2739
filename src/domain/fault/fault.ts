// One fault in a request. All faults are reported at once.

import type { ErrorKey, ErrorParams, ErrorText } from './error-text.js';

/** Released with the API: codes are added, never renamed. */
export const FAULT_CODES = [
  'required',
  'type',
  'too_long',
  'too_short',
  'too_many',
  'too_few',
  'out_of_range',
  'format',
  'exactly_one_of',
  'not_allowed_together',
  'requires',
  'unknown_field',
  'unknown_variable',
  'missing_variable',
] as const;

export type FaultCode = (typeof FAULT_CODES)[number];

export interface Fault {
  /** A JSON pointer into the body (empty: the body itself), or `?name` for a query parameter. */
  readonly pointer: string;
  readonly code: FaultCode;
  /** For people: what is wrong and what is allowed. */
  readonly message: string;
  /** For programs: which message it is, and what is filled in. */
  readonly key: ErrorKey;
  readonly params: ErrorParams;
}

export function createFault(pointer: string, code: FaultCode, { key, params, text }: ErrorText): Fault {
  return { pointer, code, message: text, key, params };
}

/** Limits the answer to a hostile request. */
export const MAX_FAULTS = 20;

/** Names come from the caller and are echoed; beyond this length only their beginning is. */
const MAX_NAME_LENGTH = 64;

/** One step further down a JSON pointer (RFC 6901). */
export function joinPointer(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}/${key}`;
  const name = key.length > MAX_NAME_LENGTH ? `${key.slice(0, MAX_NAME_LENGTH)}…` : key;
  return `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export function isFull(faults: readonly Fault[]): boolean {
  return faults.length >= MAX_FAULTS;
}

/** Adds a fault, unless there are as many as will be reported. */
export function addFault(faults: Fault[], pointer: string, code: FaultCode, text: ErrorText): void {
  if (!isFull(faults)) faults.push(createFault(pointer, code, text));
}
