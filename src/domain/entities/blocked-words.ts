// Words that no text may contain.

import { type Static, Type } from '@sinclair/typebox';
import { errorText } from '../fault/error-text.js';
import { createFault, type Fault } from '../fault/fault.js';
import { MIN_WORD_LETTERS, normaliseForWords } from '../rules/blocked-words.js';
import { closedObject, line, nullable } from './fields.js';

export const BlockedWordsFields = closedObject({
  words: Type.Array(Type.String({ maxLength: 100, format: 'line' }), {
    minItems: 1,
    maxItems: 1000,
    description: 'Case, width and blanks are ignored. At least two letters each.',
  }),
  customer_no: nullable(line(64, 'A customer.'), {
    default: null,
    description: 'For texts of this customer; null: for all.',
  }),
});

export type BlockedWordsTerms = Static<typeof BlockedWordsFields>;

export interface BlockedWords extends BlockedWordsTerms {
  readonly blocked_word_no: string;
  readonly created_at: Date;
}

/** Words that are shorter once blanks are left out. */
export function checkWords({ words = [] }: Partial<BlockedWordsTerms>): Fault[] {
  return words.flatMap((word, index) =>
    normaliseForWords(word).length >= MIN_WORD_LETTERS
      ? []
      : [createFault(`/words/${index}`, 'too_short', errorText('too_short', { min: MIN_WORD_LETTERS }))],
  );
}
