import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWordFinder, normaliseForWords } from '../../../src/domain/rules/blocked-words.js';

const letters = fc.stringMatching(/^[abＡ中 ]{2,5}$/).filter((word) => normaliseForWords(word).length >= 2);
const text = fc.stringMatching(/^[abABａ中国 \u3000]{0,30}$/);

test('finds a word exactly where a plain search would', () => {
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 8 }), text, (words, written) => {
      const normalised = normaliseForWords(written);
      const contained = words.filter((word) => normalised.includes(normaliseForWords(word)));
      const found = createWordFinder(words)?.(normalised);
      if (contained.length === 0) expect(found).toBeUndefined();
      else expect(contained.map(normaliseForWords)).toContain(normaliseForWords(found ?? ''));
    }),
    { numRuns: 3000 },
  );
});

test('ignores case, width and blanks', () => {
  const find = createWordFinder(['Free Money', '中奖']);
  for (const written of ['get FREE money now', 'ｆｒｅｅ　ｍｏｎｅｙ', 'f r e e m o n e y', '您中 奖了']) {
    expect([written, find?.(normaliseForWords(written))]).not.toContain(undefined);
  }
  expect(find?.(normaliseForWords('freedom of money'))).toBeUndefined();
  expect(createWordFinder([])).toBeUndefined();
});
