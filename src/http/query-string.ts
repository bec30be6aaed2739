// The query of a request target, decoded once and strictly: what cannot be decoded is a fault, not a guess.

import type { Fault } from '../domain/request/fault.js';

export interface QueryString {
  readonly values: ReadonlyMap<string, string>;
  readonly faults: readonly Fault[];
}

/** A query has a dozen parameters at most; what comes after this many is not looked at. */
const MAX_PARAMETERS = 100;

export function parseQueryString(requestTarget: string): QueryString {
  const values = new Map<string, string>();
  const faults: Fault[] = [];
  const start = requestTarget.indexOf('?');
  const pairs = start < 0 ? [] : requestTarget.slice(start + 1).split('&', MAX_PARAMETERS);
  for (const pair of pairs) {
    if (pair === '') continue;
    const separator = pair.indexOf('=');
    const name = decode(separator < 0 ? pair : pair.slice(0, separator));
    const value = decode(separator < 0 ? '' : pair.slice(separator + 1));
    if (name === undefined) {
      faults.push({ pointer: '?', code: 'format', message: 'A parameter name is not percent-encoded UTF-8.' });
    } else if (value === undefined || value.includes('\0')) {
      faults.push(parameterFault(name, 'format', 'The value is not percent-encoded UTF-8 without NUL characters.'));
    } else if (values.has(name)) {
      faults.push(parameterFault(name, 'too_many', 'The parameter may be given once.'));
    } else {
      values.set(name, value);
    }
  }
  return { values, faults };
}

export function parameterFault(name: string, code: Fault['code'], message: string): Fault {
  return { pointer: `?${name}`, code, message };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
