// Finds phone numbers in texts, in every usual spelling: `(138) 1234-9001`, `138.1234.9001`, with long dashes, blanks of any kind or a
// line break between the groups of digits, and several numbers in a row. What looks alike and is none is left: dates, addresses of
// computers, amounts.

import { normalisePhone } from '../phone/phone.js';

/** A part of a text that is a phone number, or may be one. */
export interface FoundNumber {
  readonly start: number;
  readonly end: number;
  /** Certainly a phone number, and no other number of that many digits. */
  readonly isCertain: boolean;
}

interface Group {
  readonly start: number;
  readonly end: number;
  /** In ASCII, if it can be written so. */
  readonly digits: string;
  /** What stands between this group and the one before. */
  readonly before: string;
}

const BETWEEN = String.raw`[\s\u00ad\u200b-\u200d\u2010-\u2015\u2060\u2212()（）.．·/\-－]{1,3}`;
/** Numbers that we made (a letter and 13 characters), erased numbers and UUIDs are no phone numbers; then groups of digits. */
const CANDIDATE = new RegExp(
  String.raw`\b[A-Z][0-9A-HJKMNP-TV-Z]{13}\b|\berased-[0-9a-f]+|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|(?<chain>[+＋]?\p{Nd}+(?:${BETWEEN}\p{Nd}+)*)`,
  'gu',
);
const GROUP = /\p{Nd}+/gu;

const CHINA_MOBILE = /^(?:00)?(?:86)?1[3-9]\d{9}$/;
/** Service numbers and codes are shorter. */
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
/** From here on another group of digits belongs to the next number. */
const FULL_DIGITS = 10;
/** Longer groups are numbers by themselves. */
const MAX_GROUP = 6;
const MAX_GROUPS = 6;

export function findNumbers(text: string): FoundNumber[] {
  const found: FoundNumber[] = [];
  for (const { index, 0: chain, groups } of text.matchAll(CANDIDATE)) {
    if (groups?.chain !== undefined) addNumbers(found, groupsOf(chain, index), /^[+＋]/.test(chain));
  }
  return found;
}

function groupsOf(chain: string, offset: number): Group[] {
  let last = 0;
  return [...chain.matchAll(GROUP)].map(({ index, 0: digits }) => {
    const before = chain.slice(last, index);
    last = index + digits.length;
    return { start: offset + index, end: offset + last, digits: digits.normalize('NFKC'), before };
  });
}

function addNumbers(found: FoundNumber[], groups: readonly Group[], hasPlus: boolean): void {
  for (let at = 0; at < groups.length; ) {
    const isInternational = hasPlus && at === 0;
    const rest = groups.slice(at, at + MAX_GROUPS);
    const none = isInternational ? 0 : countNoNumber(rest);
    const mobile = none > 0 ? 0 : countChinaMobile(rest);
    const count = none > 0 ? 0 : mobile || countNumber(rest, isInternational);
    const [first, last] = [rest[0], rest[count - 1]];
    if (first !== undefined && last !== undefined) {
      const isCertain = mobile > 0 || isInternational || isWorldwide(rest.slice(0, count));
      found.push({ start: first.start, end: last.end, isCertain });
    }
    at += Math.max(1, none, count);
  }
}

/** How many of the first groups are a Chinese mobile number. */
function countChinaMobile(groups: readonly Group[]): number {
  let digits = '';
  for (const [at, group] of groups.entries()) {
    digits += group.digits;
    if (CHINA_MOBILE.test(digits)) return at + 1;
  }
  return 0;
}

/** How many of the first groups may be one number. */
function countNumber(groups: readonly Group[], isInternational: boolean): number {
  const [first] = groups;
  if (first === undefined) return 0;
  if (first.digits.length >= MIN_DIGITS) return 1;
  let total = 0;
  let count = 0;
  for (const [at, { digits }] of groups.entries()) {
    if (digits.length > MAX_GROUP || total + digits.length > MAX_DIGITS || total >= FULL_DIGITS) break;
    // The next number begins here.
    if (at > 0 && total >= MIN_DIGITS && countChinaMobile(groups.slice(at)) > 0) break;
    total += digits.length;
    count = at + 1;
  }
  const isGrouped = groups.slice(1, count).every(({ digits }) => digits.length === 3 || digits.length === 4);
  return total >= FULL_DIGITS || (total >= MIN_DIGITS && (isInternational || isGrouped)) ? count : 0;
}

function isWorldwide(groups: readonly Group[]): boolean {
  const digits = groups.map((group) => group.digits).join('');
  const isPossible = digits.length >= FULL_DIGITS && digits.length <= MAX_DIGITS;
  return isPossible && normalisePhone(`+${digits.replace(/^00/, '')}`, 'CN') !== undefined;
}

/** How many of the first groups are certainly no phone number. */
function countNoNumber(groups: readonly Group[]): number {
  const [one, two, three, four] = groups;
  if (one === undefined) return 0;
  if (isMoment(one.digits) && !isWorldwide([one])) return 1;
  if (two === undefined) return 0;
  if (three !== undefined && two.before === three.before && /^[-./]$/.test(two.before)) {
    if (isDate(one.digits, two.digits, three.digits) || isDate(three.digits, two.digits, one.digits)) return 3;
    const isAddress = four?.before === '.' && two.before === '.' && [one, two, three, four].every(isByte);
    if (isAddress) return 4;
  }
  const isAmount = two.before === '.' && two.digits.length === 6 && three?.before !== '.';
  return isAmount ? 2 : 0;
}

/** Such as 20261114 and 20261114235700. */
function isMoment(digits: string): boolean {
  return isDate(digits.slice(0, 4), digits.slice(4, 6), digits.slice(6, 8)) && isTime(digits.slice(8));
}

function isDate(year: string, month: string, day: string): boolean {
  const isDay = /^(?:0?[1-9]|[12]\d|3[01])$/.test(day);
  return /^(?:19|20)\d\d$/.test(year) && /^(?:0?[1-9]|1[0-2])$/.test(month) && isDay;
}

/** Of the day, or nothing. */
function isTime(digits: string): boolean {
  return digits === '' || /^(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d(?:\d{3})?)?$/.test(digits);
}

function isByte({ digits }: Group): boolean {
  return digits.length <= 3 && Number(digits) <= 255;
}
