// Every word of the console in both languages, side by side, so that neither can be incomplete.

import { showCount } from '../format/count.js';
import { actionWords } from './tables/action-words.js';
import { auditWords } from './tables/audit-words.js';
import { batchWords } from './tables/batch-words.js';
import { codeWords } from './tables/code-words.js';
import { composeWords } from './tables/compose-words.js';
import { developerWords } from './tables/developer-words.js';
import { eventWords } from './tables/event-words.js';
import { frameWords } from './tables/frame-words.js';
import { historyWords } from './tables/history-words.js';
import { moneyWords } from './tables/money-words.js';
import { numberWords } from './tables/number-words.js';
import { operatorWords } from './tables/operator-words.js';
import { overviewWords } from './tables/overview-words.js';
import { paletteWords } from './tables/palette-words.js';
import { provisionWords } from './tables/provision-words.js';
import { reasonWords } from './tables/reason-words.js';
import { recordWords } from './tables/record-words.js';
import { reviewWords } from './tables/review-words.js';
import { ruleWords } from './tables/rule-words.js';
import { stateWords } from './tables/state-words.js';
import { taskWords } from './tables/task-words.js';
import { userWords } from './tables/user-words.js';

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
  ...eventWords,
  ...operatorWords,
  ...auditWords,
  ...paletteWords,
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
  return text.replaceAll(
    /(\p{Script=Han} )?\{(\w+)(?::([^|}]*)\|([^}]*))?\}( (?=\p{Script=Han}))?/gu,
    (_, before = '', name: string, one: string | undefined, many: string | undefined, after = '') => {
      const value = values[name];
      const shown = typeof value === 'number' ? showCount(value) : String(value ?? '');
      const filled = one === undefined ? shown : ((Number(value) === 1 ? one : many) ?? '');
      // A space stands between Chinese and Latin, and not between two words in Chinese.
      const left = /^\p{Script=Han}/u.test(filled) ? before.trimEnd() : before;
      return left + filled + (/\p{Script=Han}$/u.test(filled) ? '' : after);
    },
  );
}
