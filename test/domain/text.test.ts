import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinPointer } from '../../src/domain/fault/fault.js';
import { cleanText, cleanWord, countCharacters, hasControlCharacter, isStorableText } from '../../src/domain/text.js';

const text = fc.string({ unit: fc.constantFrom('a', '中', '\ud83d', '\ude1c', '😜', '\u0000', '\n'), maxLength: 12 });

test('text is storable unless it has a NUL or half a pair', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(isStorableText(value)).toBe(!value.includes('\u0000') && !/\p{Surrogate}/u.test(value));
    }),
  );
});

test('characters are code points', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(countCharacters(value)).toBe([...value].length);
    }),
  );
});

test('controls are the Unicode category Cc', () => {
  for (let code = 0; code <= 0x2100; code++) {
    const char = String.fromCharCode(code);
    expect(hasControlCharacter(`a${char}b`)).toBe(/\p{Cc}/u.test(char));
  }
});

test('a cleaned text can be stored, is short enough, and is the same where there was nothing to clean', () => {
  const strange = fc.string({ unit: fc.constantFrom('a', '中', '\ud83d', '\ude1c', '😜', '\0', '\n', '\x1b', '\x9b') });
  fc.assert(
    fc.property(strange, fc.integer({ min: 0, max: 12 }), (value, maxLength) => {
      const cleaned = cleanText(value, maxLength);
      expect(isStorableText(cleaned)).toBe(true);
      expect(cleaned.length).toBeLessThanOrEqual(maxLength);
      expect(cleanText(cleaned, maxLength)).toBe(cleaned);
      expect(hasControlCharacter(cleanWord(value, maxLength))).toBe(false);
      if (isStorableText(value) && !value.includes('\x1b') && !value.includes('\x9b'))
        expect(cleanText(value, value.length)).toBe(value);
    }),
  );
});

test('a JSON pointer escapes its two special characters, and does not echo names of any length', () => {
  expect(joinPointer('/recipients', 3)).toBe('/recipients/3');
  expect(joinPointer('', 'a/b~c')).toBe('/a~1b~0c');
  expect(joinPointer('', 'x'.repeat(1000))).toHaveLength(66);
});
