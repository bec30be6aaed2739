// How one phone number may be written in a text.

import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/**
 * A regular expression of PostgreSQL that finds the number in a text: with and without the country code, with blanks, dashes or
 * brackets between the digits, and not as a part of a longer number. `digits` is E.164 without the plus sign.
 */
export function findNumbersIn(digits: string): string {
  const number = parsePhoneNumberFromString(`+${digits}`);
  const national = number?.nationalNumber ?? digits;
  const code = digits.slice(0, digits.length - national.length);
  const gaps = '[ ().-]{0,2}';
  const spell = (text: string) => [...text].join(gaps);
  const prefix = code === '' ? '' : `(\\+?(00)?${gaps}${spell(code)}${gaps})?`;
  return `(?<![0-9])${prefix}${spell(national)}(?![0-9])`;
}
