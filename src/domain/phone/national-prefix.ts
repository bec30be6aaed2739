// Prefixes that were written as people write numbers at home: without the country code, where no number is ever found.

import { getCountryCallingCode } from 'libphonenumber-js/max';
import { mobilePatternOf, type Region } from './phone.js';

const LONGEST_NATIONAL_NUMBER = 14;
const DIGITS = '0123456789';

/**
 * How a prefix such as 138 is meant where mobile numbers of the default region begin so: 86138. Undefined for one that has a country code,
 * and for one with a plus sign, which says that it has.
 */
export function addCountryCode(prefix: string, region: Region): string | undefined {
  const code = getCountryCallingCode(region);
  if (prefix.startsWith('+') || prefix.startsWith(code) || code.startsWith(prefix)) return undefined;
  const mobile = new RegExp(`^(?:${mobilePatternOf(region) ?? '(?!)'})$`);
  for (let length = prefix.length; length <= LONGEST_NATIONAL_NUMBER; length += 1) {
    for (const digit of DIGITS) if (mobile.test(prefix.padEnd(length, digit))) return code + prefix;
  }
  return undefined;
}
