// The query of a request target, decoded once and strictly: what cannot be decoded is a fault, not a guess.

import { type ErrorText, errorText } from '../../domain/fault/error-text.js';
import { createFault, type Fault } from '../../domain/fault/fault.js';

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
      faults.push(createFault('?', 'format', errorText('parameter_name_encoding')));
    } else if (value === undefined || value.includes('\0')) {
      faults.push(parameterFault(name, 'format', errorText('parameter_encoding')));
    } else if (values.has(name)) {
      faults.push(parameterFault(name, 'too_many', errorText('parameter_repeated')));
    } else {
      values.set(name, value);
    }
  }
  return { values, faults };
}

export function parameterFault(name: string, code: Fault['code'], text: ErrorText): Fault {
  return createFault(`?${name}`, code, text);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
