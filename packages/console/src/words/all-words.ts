// Every word of the console in both languages, side by side, so that neither can be incomplete.

import { showCount } from '../api/count.js';
import { actionWords } from './action-words.js';
import { auditWords } from './audit-words.js';
import { batchWords } from './batch-words.js';
import { codeWords } from './code-words.js';
import { composeWords } from './compose-words.js';
import { developerWords } from './developer-words.js';
import { frameWords } from './frame-words.js';
import { historyWords } from './history-words.js';
import { moneyWords } from './money-words.js';
import { numberWords } from './number-words.js';
import { operatorWords } from './operator-words.js';
import { overviewWords } from './overview-words.js';
import { provisionWords } from './provision-words.js';
import { reasonWords } from './reason-words.js';
import { recordWords } from './record-words.js';
import { reviewWords } from './review-words.js';
import { ruleWords } from './rule-words.js';
import { stateWords } from './state-words.js';
import { taskWords } from './task-words.js';
import { userWords } from './user-words.js';

export const allWords = {
  ...frameWords,
  ...stateWords,
  ...taskWords,
  ...recordWords,
  ...reasonWords,
  ...codeWords,
  ...actionWords,
  ...overviewWords,
  ...numberWords,
  ...moneyWords,
  ...batchWords,
  ...composeWords,
  ...developerWords,
  ...operatorWords,
  ...auditWords,
  ...provisionWords,
  ...userWords,
  ...reviewWords,
  ...ruleWords,
  ...historyWords,
} as const;

export type Word = keyof typeof allWords;
export function isWord(word: string): word is Word {
  return Object.hasOwn(allWords, word);
}

export type WordValues = Readonly<Record<string, string | number>>;

export function fillWords(text: string, values: WordValues): string {
  return text.replaceAll(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (one === undefined) return typeof value === 'number' ? showCount(value) : String(value ?? '');
    return (Number(value) === 1 ? one : many) ?? '';
  });
}
