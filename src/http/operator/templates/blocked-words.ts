// Words that no text may contain, and what was rejected for them.

import { BlockedWordsFields, checkWords } from '../../../domain/entities/blocked-words.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { createFault } from '../../../domain/fault/fault.js';
import { formatNo } from '../../../domain/id.js';
import { toPlain } from '../../../domain/plain.js';
import { listFromArray } from '../../../store/list.js';
import {
  addBlockedWords,
  readBlockedContent,
  readBlockedWords,
  removeBlockedWords,
} from '../../../store/operator/templates/blocked-words.js';
import { checkBody } from '../../body/check-body.js';
import { invalidRequest } from '../../problem/problem.js';
import { BlockedContentAnswer, BlockedWordsAnswer } from '../answers.js';
import { defineChange, defineList, type OperatorDeps, type OperatorRoute, readParam } from '../operator-route.js';

const tag = 'Blocked words';

export function createBlockedWordRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineChange(deps, {
      method: 'POST',
      path: '/blocked-words',
      name: 'addBlockedWords',
      tag,
      summary: 'Block words',
      description:
        'A number whose text contains one after substitution is rejected with `blocked_content`, when its task is prepared or when it is handed over. Case, width and blanks are ignored.',
      body: { schema: BlockedWordsFields, example: { words: ['lottery', '中奖'] } },
      answer: { status: 201, schema: BlockedWordsAnswer, description: 'The words with their `blocked_word_no`.' },
      change: async (call, context) => {
        const terms = checkBody(BlockedWordsFields, call.body, { defaults: true, refine: checkWords });
        const added = await addBlockedWords(context, formatNo('B', deps.nextId()), terms);
        if (added === undefined) {
          throw invalidRequest([createFault('/customer_no', 'out_of_range', errorText('unknown_customer'))]);
        }
        return toPlain(added);
      },
    }),
    defineChange(deps, {
      method: 'DELETE',
      path: '/blocked-words/{blocked_word_no}',
      name: 'removeBlockedWords',
      tag,
      summary: 'Allow words again',
      answer: { status: 200, schema: BlockedWordsAnswer, description: 'The words that were blocked.' },
      change: (call, context) => removeBlockedWords(context, readParam(call, 'blocked_word_no')),
      render: toPlain,
    }),
    defineList({
      path: '/blocked-words',
      name: 'listBlockedWords',
      item: BlockedWordsAnswer,
      tag,
      summary: 'List blocked words',
      list: { name: 'blocked-words', timed: false, filters: {}, isKey: () => true },
      source: async () => listFromArray(await readBlockedWords(deps.sql), ({ blocked_word_no }) => blocked_word_no),
      render: toPlain,
    }),
    defineList({
      path: '/blocked-content',
      name: 'listBlockedContent',
      item: BlockedContentAnswer,
      tag,
      summary: 'List what was rejected for blocked words',
      description: 'By task and word, the last thousand, newest first. Customers see the code and no word.',
      list: { name: 'blocked-content', timed: false, filters: {}, isKey: () => true },
      source: async () => {
        const buckets = deps.snapshot.current().buckets();
        const rows = await readBlockedContent(deps.readers, buckets);
        return listFromArray(rows, ({ task_no, word }) => `${task_no} ${word}`);
      },
      render: toPlain,
    }),
  ];
}
