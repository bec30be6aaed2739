import type { ErrorKey } from '@postrider/client';
import type { Language } from '../preferences.js';
import { allWords, fillWords, isWord, type WordValues } from './all-words.js';
import { faultSentences } from './tables/fault-sentences.js';
import { problemSentences } from './tables/problem-sentences.js';

const chineseSentences: Readonly<Record<ErrorKey, string>> = { ...faultSentences, ...problemSentences };

/** What the service says about an error. */
export interface ErrorSentence {
  readonly key: string;
  readonly params: WordValues;
  /** In English. */
  readonly text: string;
}

function isKnown(key: string): key is ErrorKey {
  return Object.hasOwn(chineseSentences, key);
}

/** A value that the console has a word for, such as a stage. */
function translateParam([name, value]: [string, string | number]): [string, string | number] {
  const word = `${name}.${value}`;
  return [name, isWord(word) ? allWords[word][1] : value];
}

/** In the viewer's language. A sentence of a later service that is not known here stays in English. */
export function sayError(language: Language, { key, params, text }: ErrorSentence): string {
  if (language === 'en' || !isKnown(key)) return text;
  return fillWords(chineseSentences[key], Object.fromEntries(Object.entries(params).map(translateParam)));
}
