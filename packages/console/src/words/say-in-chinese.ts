import { allWords, fillWords, isWord } from './all-words.js';
import { refusalSentences } from './refusal-sentences.js';
import { serviceSentences } from './service-sentences.js';

/** A value that the console has a word for, such as a stage or a duration, is said by it. */
function sayFilling([name, value]: [string, string]): [string, string] {
  const [, figure = '', unit = ''] = /^([\d.]+) ?([a-z]+)$/.exec(value) ?? [];
  const duration = `duration.${unit}`;
  if (isWord(duration)) return [name, fillWords(allWords[duration][1], { value: figure })];
  const word = `${name}.${value}`;
  return [name, isWord(word) ? allWords[word][1] : value];
}

/** What the service says, in Chinese; undefined for a sentence that is not known here. */
export function sayInChinese(message: string): string | undefined {
  for (const [english, chinese] of [...serviceSentences, ...refusalSentences]) {
    const pattern = english.replaceAll(/[.*+?^$()[\]\\|]/g, '\\$&').replaceAll(/\{(\w+)\}/g, '(?<$1>.+)');
    const values = new RegExp(`^${pattern}$`, 'u').exec(message);
    if (values !== null)
      return fillWords(chinese, Object.fromEntries(Object.entries(values.groups ?? {}).map(sayFilling)));
  }
  return undefined;
}
