import type { ErrorKey } from '@postrider/client';
import type { Language } from '../preferences.js';
import { allWords, fillWords, isWord, type WordValues } from './all-words.js';

/** Loaded for those who read them: the service says every error in English. */
let chineseSentences: Readonly<Record<ErrorKey, string>> | undefined;

/** Before the page is in this language. Without its sentences errors stay in English. */
export async function prepareErrors(language: Language): Promise<void> {
  if (language !== 'zh' || chineseSentences !== undefined) return;
  chineseSentences = await import('./chinese-sentences.js').then(
    (words) => words.chineseSentences,
    () => undefined,
  );
}

/** What the service says about an error. */
export interface ErrorSentence {
  readonly key: string;
  readonly params: WordValues;
  /** In English. */
  readonly text: string;
}

/** A value that the console has a word for, such as a stage. */
function translateParam([name, value]: [string, string | number]): [string, string | number] {
  const word = `${name}.${value}`;
  return [name, isWord(word) ? allWords[word][1] : value];
}

/** In the viewer's language. A sentence of a later service that is not known here stays in English. */
export function sayError(language: Language, { key, params, text }: ErrorSentence): string {
  const sentence = language === 'zh' ? chineseSentences?.[key as ErrorKey] : undefined;
  if (sentence === undefined) return text;
  return fillWords(sentence, Object.fromEntries(Object.entries(params).map(translateParam)));
}
