// Array parameters in PostgreSQL's own text form. Bulk writes send every column as one array; the driver's serializer
// takes several times as long a value, and reads arrays of bigints, booleans and dates as scalars. Neighbours are often
// equal (the task, the firm, the moment), so the text of the last value is kept.

import { formatTime } from '../domain/rfc3339.js';

export function numericArray(values: readonly (number | bigint | string | null)[]): string {
  return createArray(values, (value) => `${value}`);
}

export function booleanArray(values: readonly (boolean | null)[]): string {
  return createArray(values, (value) => `${value}`);
}

export function timeArray(values: readonly (Date | null)[]): string {
  return createArray(values, (value) => `"${formatTime(value)}"`);
}

export function textArray(values: readonly (string | null)[]): string {
  return createArray(values, quote);
}

function quote(value: string): string {
  return value.includes('"') || value.includes('\\') ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
}

function createArray<T>(values: readonly (T | null)[], write: (value: T) => string): string {
  let literal = '';
  let last: T | undefined;
  let lastText = '';
  for (const value of values) {
    if (value === null) {
      literal += ',null';
      continue;
    }
    if (value !== last) {
      last = value;
      lastText = `,${write(value)}`;
    }
    literal += lastText;
  }
  return `{${literal.slice(1)}}`;
}

/** Reads a one-dimensional array of texts back. */
export function parseTextArray(literal: string): (string | null)[] {
  const values: (string | null)[] = [];
  for (const [, quoted, bare] of literal.slice(1, -1).matchAll(/(?:"((?:[^"\\]|\\.)*)"|([^,]+))(?:,|$)/gs)) {
    if (quoted !== undefined) values.push(quoted.replace(/\\(.)/gs, '$1'));
    else values.push(bare === 'NULL' ? null : (bare ?? ''));
  }
  return values;
}
