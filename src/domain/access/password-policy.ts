// Which passwords are taken: long ones that a guesser does not try first. Length counts, not kinds of characters.

import { errorText } from '../fault/error-text.js';
import { createFault, type Fault } from '../fault/fault.js';
import { countCharacters } from '../text.js';
import { COMMON_WORDS, KEYBOARD_ROWS } from './common-passwords.js';

export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 256;

/** Different texts that look the same, by the keyboard they were typed on, are one password. */
export function normalisePassword(password: string): string {
  return password.normalize('NFKC');
}

/** What is wrong with a new password; empty when it is taken. `about` are words that belong to the person: email, name. */
export function checkPassword(password: string, about: readonly string[]): Fault[] {
  const normal = normalisePassword(password);
  const length = countCharacters(normal);
  if (length < MIN_PASSWORD_LENGTH) {
    return [createFault('/password', 'too_short', errorText('too_short', { min: MIN_PASSWORD_LENGTH }))];
  }
  if (length > MAX_PASSWORD_LENGTH) {
    return [createFault('/password', 'too_long', errorText('too_long', { count: length, max: MAX_PASSWORD_LENGTH }))];
  }
  return isCommon(normal, about) ? [createFault('/password', 'format', errorText('password_easy'))] : [];
}

/**
 * Whether a password is one of the words that guessers try first with digits and signs around it, a row of the keyboard, a count,
 * or one short piece repeated. Rules instead of a list: a list of leaked passwords that is of any use has megabytes, and nearly
 * all that it has of this length are such words with such endings.
 */
export function isCommon(password: string, about: readonly string[]): boolean {
  const text = password.toLowerCase();
  const letters = undoLeet(text).replaceAll(/[^\p{L}]/gu, '');
  const digits = text.replaceAll(/[^\p{N}]/gu, '');
  if (isRepeated(text) || isSequence(text)) return true;
  if (letters.length <= 2) return countRandom(digits) < MIN_PASSWORD_LENGTH;
  const own = about.flatMap((said) => said.toLowerCase().split(/[^\p{L}]+/u)).filter((word) => word.length >= 3);
  const withoutOwn = own.reduce((rest, word) => rest.replaceAll(word, ''), letters);
  // What is left when the word is gone is what a guesser has to find.
  const left = Math.min(withoutOwn.length, ...COMMON_WORDS.map((word) => withoutOwn.replaceAll(word, '').length));
  return left <= 2 && countRandom(digits) < 8;
}

/** Years, counts and repeated digits are tried behind every word. */
function countRandom(digits: string): number {
  if (isSequence(digits) || isRepeated(digits)) return 0;
  return digits.replaceAll(/(19|20)\d\d/g, '').length;
}

const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Between letters only: digits at the end are an ending. */
function undoLeet(text: string): string {
  return text
    .replaceAll(/(?<=\p{L})[013457@$!](?=\p{L})/gu, (sign) => LEET[sign] ?? sign)
    .replace(/^[@$](?=\p{L})/u, (sign) => LEET[sign] ?? sign);
}

/** One piece of up to four characters again and again. */
function isRepeated(text: string): boolean {
  return [1, 2, 3, 4].some((size) => {
    const piece = text.slice(0, size);
    return text.length > size && piece.repeat(Math.ceil(text.length / size)).startsWith(text);
  });
}

/** Neighbours on the keyboard, in the alphabet or in counting, all along. */
function isSequence(text: string): boolean {
  if (text.length < 3) return false;
  let breaks = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (!isStep(text.charAt(at - 1), text.charAt(at))) breaks += 1;
  }
  return breaks <= text.length / 6;
}

function isStep(from: string, to: string): boolean {
  if (Math.abs(from.charCodeAt(0) - to.charCodeAt(0)) <= 1) return true;
  return KEYBOARD_ROWS.some((row) => row.includes(from + to) || row.includes(to + from));
}
