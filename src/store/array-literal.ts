// Array parameters in PostgreSQL's own text form. Bulk writes send every column as one array; the driver's serializer
// takes several times as long a value, and reads arrays of bigints, booleans and dates as scalars.

export function numericArray(values: readonly (number | bigint | string | null)[]): string {
  let literal = '{';
  for (const value of values) literal += literal.length > 1 ? `,${value ?? 'null'}` : `${value ?? 'null'}`;
  return `${literal}}`;
}

export function booleanArray(values: readonly boolean[]): string {
  return `{${values.join(',')}}`;
}

export function timeArray(values: readonly (Date | null)[]): string {
  return `{${values.map((value) => (value === null ? 'null' : `"${value.toISOString()}"`)).join(',')}}`;
}

export function textArray(values: readonly (string | null)[]): string {
  let literal = '{';
  for (const value of values) {
    if (literal.length > 1) literal += ',';
    if (value === null) literal += 'null';
    else literal += needsEscape(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
  }
  return `${literal}}`;
}

function needsEscape(value: string): boolean {
  return value.includes('"') || value.includes('\\');
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
