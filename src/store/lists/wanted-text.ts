// A part of a text that a caller searches for.

import type { Condition } from '../condition.js';
import type { AnySql } from '../sql.js';

export interface WantedText {
  readonly text: string;
  /** Phone numbers are masked to the caller: each digit stands for any, because trying digits would tell those of a number. */
  readonly hidesDigits: boolean;
}

const DIGIT = /\p{Nd}/u;
const DIGITS = /\p{Nd}/gu;

/** For `like` on what `searchable` makes of a column. */
export function patternOf({ text, hidesDigits }: WantedText): string {
  const escaped = text.replaceAll(/[\\%_]/g, '\\$&');
  return hidesDigits ? escaped.replaceAll(DIGITS, (digit) => (digit <= '9' ? '0' : '_')) : escaped;
}

export function searchable(sql: AnySql, column: Condition, { hidesDigits }: WantedText): Condition {
  return hidesDigits ? sql`translate(${column}, '0123456789', '0000000000')` : column;
}

/** What the text begins with, as it stands in the column. */
export function knownStartOf({ text, hidesDigits }: WantedText): string {
  const [start = ''] = hidesDigits ? text.split(DIGIT, 1) : [text];
  return start;
}
