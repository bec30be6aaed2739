// Phone numbers: one normal form (E.164 digits without the plus sign) for all notations.
//
// The `max` metadata set is the one to judge by. The `min` set knows little more than possible lengths: it calls
// 12345678901 a valid Chinese number. A number that is not real must be rejected without being priced, so the digits
// themselves have to be checked, which only `max` does for every kind of number.

import { createHash } from 'node:crypto';
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import { normalisePlainE164 } from './plain-e164.js';

/** The region of numbers written without a country code. */
export type Region = CountryCode;

/** The longest spelling of a phone that a request may carry. */
export const MAX_PHONE_LENGTH = 32;

/** Undefined when the text is not a region the library knows (ISO 3166-1 alpha-2, upper case). */
export function parseRegion(text: string): Region | undefined {
  return isSupportedCountry(text) ? text : undefined;
}

// Where the library's compact metadata keeps a region's mobile numbers.
const TYPES_INDEX = 11;
const MOBILE_INDEX = 1;
const MOBILE_PATTERN_INDEX = 0;

const CHINA_CODE = '86';
const CHINA_MOBILE_LENGTH = 11;

/** What mobile numbers of a region look like without the country code, as a regular expression. */
export function mobilePatternOf(region: Region): string | undefined {
  const pattern: unknown = metadata.countries[region]?.[TYPES_INDEX]?.[MOBILE_INDEX]?.[MOBILE_PATTERN_INDEX];
  return typeof pattern === 'string' ? pattern : undefined;
}

/**
 * Matches nothing when the metadata has another shape than expected: every number then takes the slow path, which is
 * right, only slower, and a test says that the fast path is gone.
 */
function compileChinaMobile(prefix: string): RegExp {
  const pattern = mobilePatternOf('CN');
  return pattern !== undefined ? new RegExp(`^${prefix}(?:${pattern})$`) : /^(?!)/;
}

// The library takes about 20 µs a number, a hundred times more than everything else done with it. Nearly all numbers
// are plain Chinese mobiles, so those are recognised by the library's own pattern, compiled once. Only spellings that
// cannot be read in another way are taken here; a property test holds the two paths equal.
const CHINA_MOBILE_INTERNATIONAL = compileChinaMobile('\\+86');
const CHINA_MOBILE_AT_HOME = compileChinaMobile('(?:(?:\\+|00)?86)?');

/** The E.164 digits without the plus sign, or undefined when this is no real number. */
export function normalisePhone(raw: string, defaultRegion: Region): string | undefined {
  return normaliseQuickly(raw, defaultRegion) ?? normaliseAny(raw, defaultRegion);
}

/** The fast paths: undefined means that the library has to decide, which takes a hundred times as long. */
export function normaliseQuickly(raw: string, defaultRegion: Region): string | undefined {
  return normaliseChinaMobile(raw, defaultRegion) ?? normalisePlainE164(raw);
}

/** Exported for the test that compares it with the library. */
export function normaliseChinaMobile(raw: string, defaultRegion: Region): string | undefined {
  const pattern = defaultRegion === 'CN' ? CHINA_MOBILE_AT_HOME : CHINA_MOBILE_INTERNATIONAL;
  return pattern.test(raw) ? CHINA_CODE + raw.slice(-CHINA_MOBILE_LENGTH) : undefined;
}

/** The library's judgement. Exported for the test that compares the two paths. */
export function normaliseAny(raw: string, defaultRegion: Region): string | undefined {
  // Without `extract: false` the library would find a number inside any text, such as one in a sentence.
  const phone = parsePhoneNumberFromString(raw, { defaultCountry: defaultRegion, extract: false });
  if (phone === undefined || !phone.isValid()) return undefined;
  // A message cannot reach an extension, and the bare number is someone else's.
  if (phone.ext !== undefined) return undefined;
  return phone.number.slice(1);
}

/** The number without its country code, from its E.164 digits; the digits themselves where the library cannot tell. */
export function nationalNumber(digits: string): string {
  return parsePhoneNumberFromString(`+${digits}`)?.nationalNumber ?? digits;
}

/**
 * One signed 64-bit key, as decimal text, for any spelling of a number: the E.164 digits when it is real, otherwise a
 * negative hash of the text as written. Digits are at most 15, so the two never meet, and one bigint column can be
 * indexed and filtered for both.
 */
export function phoneKey(raw: string, normalised: string | undefined): string {
  if (normalised !== undefined) return normalised;
  const hash = createHash('sha256').update(raw, 'utf8').digest().readBigUInt64BE(0) >> 2n;
  // Zero has no negative, so the hash is moved by one.
  return String(-hash - 1n);
}
