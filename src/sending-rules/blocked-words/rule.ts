// Words that no text may contain. Which word was found in which task is written down for operators.

import { textOf } from '../../domain/chunk/chunk.js';
import { normaliseForWords } from '../../domain/rules/blocked-words.js';
import type { Rule } from '../rule.js';
import { insertBlockedContent } from './blocked-content.js';

export const blockedWords: Rule = {
  code: 'blocked_content',
  load: ({ snapshot }) => {
    return ({ task: { customerId }, numbers: { messages } }) => {
      const find = snapshot().blockedWordFinder(customerId);
      if (find === undefined) return undefined;
      const { common } = messages;
      if (common === undefined) return (_, index) => find(normaliseForWords(messages.text(index))) ?? false;
      // A text that all numbers share is searched once.
      const found = find(normaliseForWords(common));
      return found === undefined ? undefined : () => found;
    };
  },
  recheck: ({ customerId, numbers }, _, snapshot, since) => {
    const find = snapshot.blockedWordFinder(customerId, since);
    return find && ((_, index) => find(normaliseForWords(textOf(numbers, index))) ?? false);
  },
  recordPlans: ({ sql, bucket }, planned) => {
    const found = planned.flatMap(({ task: { customerId, taskId }, plan }) =>
      [...(plan?.found.get('blocked_content') ?? [])].map(([word, numbers]) => ({ customerId, taskId, word, numbers })),
    );
    return found.length > 0 && insertBlockedContent(sql, bucket, found);
  },
  recordEnds: (tx, bucket, settlement) => {
    const found = settlement.found.flatMap(({ chunk: { customerId, taskId }, code, found: word }) =>
      code === 'blocked_content' && word !== undefined ? [{ customerId, taskId, word, numbers: 1 }] : [],
    );
    return found.length > 0 && insertBlockedContent(tx, bucket, found);
  },
};
