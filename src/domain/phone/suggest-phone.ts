// What was likely meant by a text that is no number: the country code stands there, and the plus sign before it is missing or too many.

import { normalisePhone, type Region } from './phone.js';

const SEPARATORS = /[\s().-]/g;
const DIGITS = /^(\+?)(\d{5,15})$/;

/** In the international form, such as `+4915112345678` for `4915112345678`; undefined where no number is near. */
export function suggestPhone(raw: string, defaultRegion: Region): string | undefined {
  const [, plus, digits = ''] = DIGITS.exec(raw.replaceAll(SEPARATORS, '')) ?? [];
  if (plus === undefined) return undefined;
  const found = normalisePhone(plus === '' ? `+${digits}` : digits, defaultRegion);
  return found === undefined ? undefined : `+${found}`;
}
