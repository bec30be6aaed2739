// Words in the viewer's language.

import { type Language, usePreferences } from '../preferences.js';
import { allWords, fillWords, isWord, type Word, type WordValues } from './all-words.js';

export type Say = (word: Word, values?: WordValues) => string;

function createSay(column: 0 | 1): Say {
  return (word, values = {}) => fillWords(allWords[word][column], values);
}

const sayings: Record<Language, Say> = { en: createSay(0), zh: createSay(1) };

export function useWords(): Say {
  return sayings[usePreferences().language];
}

/** Texts that are made of a value of the API, such as a stage; a value of a later service is shown as it is. */
export function sayValue(say: Say, prefix: string, value: string): string {
  const word = `${prefix}.${value}`;
  return isWord(word) ? say(word) : value;
}
