import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Alphabet,
  countParts,
  GSM_BASIC,
  GSM_EXTENSION,
  splitIntoParts,
} from '../../../src/domain/message/parts.js';

const shape = (text: string, alphabet: Alphabet = 'gsm7'): { encoding: string; lengths: number[] } => {
  const { encoding, parts } = splitIntoParts(text, alphabet);
  return { encoding, lengths: parts.map((part) => part.length) };
};

describe('the GSM alphabet', () => {
  test('has 128 septets, with well-known characters at the places TS 23.038 gives them', () => {
    expect(GSM_BASIC).toHaveLength(128);
    const places = { '@': 0x00, Ç: 0x09, '\n': 0x0a, '\r': 0x0d, Δ: 0x10, Ξ: 0x1a, Æ: 0x1c, É: 0x1f, '¤': 0x24 };
    const more = { ' ': 0x20, '0': 0x30, '¡': 0x40, A: 0x41, Ä: 0x5b, '§': 0x5f, '¿': 0x60, a: 0x61, z: 0x7a, à: 0x7f };
    for (const [char, septet] of Object.entries({ ...places, ...more })) expect(GSM_BASIC.indexOf(char)).toBe(septet);
  });

  test('takes every one of its characters, and counts the extension twice', () => {
    for (const char of GSM_BASIC.replace('\u001b', ''))
      expect(shape(char.repeat(160))).toEqual({ encoding: 'gsm7', lengths: [160] });
    for (const char of GSM_EXTENSION.keys()) {
      expect(shape(char.repeat(80))).toEqual({ encoding: 'gsm7', lengths: [80] });
      expect(shape(char.repeat(81))).toEqual({ encoding: 'gsm7', lengths: [76, 5] });
    }
  });

  test.each(['`', 'ç', 'á', '\t', '’', '中', '\u001b', '\u0000', '😜'])('does not take %j', (char) => {
    expect(splitIntoParts(char, 'gsm7').encoding).toBe('ucs2');
  });
});

describe('splitting into parts', () => {
  test.each<[string, string, string, number[]]>([
    ['empty text', '', 'gsm7', [0]],
    ['160 septets', 'a'.repeat(160), 'gsm7', [160]],
    ['161 septets', 'a'.repeat(161), 'gsm7', [153, 8]],
    ['2 × 153', 'a'.repeat(306), 'gsm7', [153, 153]],
    ['2 × 153 + 1', 'a'.repeat(307), 'gsm7', [153, 153, 1]],
    ['3 × 153', 'a'.repeat(459), 'gsm7', [153, 153, 153]],
    ['one escape and 158 more: 160 septets', `{${'2'.repeat(158)}`, 'gsm7', [159]],
    ['one escape and 159 more: 161 septets', `{${'2'.repeat(159)}`, 'gsm7', [152, 8]],
    ['an escape pair over the 153 boundary', `${'a'.repeat(152)}€${'b'.repeat(20)}`, 'gsm7', [152, 21]],
    ['an escape pair that ends at the boundary', `${'a'.repeat(151)}€${'b'.repeat(20)}`, 'gsm7', [152, 20]],
    ['70 units', '中'.repeat(70), 'ucs2', [70]],
    ['71 units', '中'.repeat(71), 'ucs2', [67, 4]],
    ['2 × 67', '中'.repeat(134), 'ucs2', [67, 67]],
    ['2 × 67 + 1', '中'.repeat(135), 'ucs2', [67, 67, 1]],
    ['an emoji and 68 more: 70 units', `😜${'2'.repeat(68)}`, 'ucs2', [70]],
    ['an emoji and 69 more: 71 units', `😜${'2'.repeat(69)}`, 'ucs2', [67, 4]],
    ['an emoji over the 67 boundary', `${'中'.repeat(66)}😜${'中'.repeat(10)}`, 'ucs2', [66, 12]],
    ['an emoji that ends at the boundary', `${'中'.repeat(65)}😜${'中'.repeat(10)}`, 'ucs2', [67, 10]],
    ['emoji alone, 33 to a part', '😜'.repeat(67), 'ucs2', [66, 66, 2]],
    ['one foreign character makes all of it UCS-2', `${'a'.repeat(99)}中`, 'ucs2', [67, 33]],
  ])('%s', (_name, text, encoding, lengths) => {
    expect(shape(text)).toEqual({ encoding, lengths });
    expect(countParts(text, 'gsm7')).toBe(lengths.length);
  });

  test.each<[string, string, string, number[]]>([
    ['140 characters', 'a'.repeat(140), 'ascii', [140]],
    ['141 characters', 'a'.repeat(141), 'ascii', [134, 7]],
    ['2 × 134 + 1', 'a'.repeat(269), 'ascii', [134, 134, 1]],
    ['braces count once', '{'.repeat(140), 'ascii', [140]],
    ['a backtick, which the GSM alphabet lacks', '`'.repeat(140), 'ascii', [140]],
    ['a pound sign, which ASCII lacks', `£${'1'.repeat(69)}`, 'ucs2', [70]],
    ['a euro sign and 70 more', `€${'1'.repeat(70)}`, 'ucs2', [67, 4]],
    ['71 Chinese characters', '中'.repeat(71), 'ucs2', [67, 4]],
  ])('for a channel that carries ASCII: %s', (_name, text, encoding, lengths) => {
    expect(shape(text, 'ascii')).toEqual({ encoding, lengths });
    expect(countParts(text, 'ascii')).toBe(lengths.length);
  });

  const alphabet = fc.constantFrom<Alphabet>('gsm7', 'ascii');
  const gsm = fc.constantFrom(...GSM_BASIC.replace('\u001b', ''), ...GSM_EXTENSION.keys());
  const any = fc.oneof(
    gsm,
    fc.constantFrom('😜', '中', '\ud83d', '\ude1c'),
    fc.string({ unit: 'binary', maxLength: 1 }),
  );
  const near = fc.constantFrom(0, 65, 66, 69, 70, 132, 150, 151, 152, 158, 159, 160, 300, 304);
  const text = fc.oneof(
    fc.string({ unit: gsm, maxLength: 700 }),
    fc.string({ unit: any, maxLength: 400 }),
    fc
      .tuple(near, fc.constantFrom('a', '中', '€', '😜'), fc.string({ unit: any, maxLength: 30 }))
      .map(([count, char, tail]) => char.repeat(count) + tail),
  );

  test('loses nothing, fits every part, and splits no pair', () => {
    fc.assert(
      fc.property(text, alphabet, (whole, chosen) => {
        const { encoding, parts } = splitIntoParts(whole, chosen);
        expect(parts.join('')).toBe(whole);
        const limit = { gsm7: [160, 153], ascii: [140, 134], ucs2: [70, 67] }[encoding];
        for (const part of parts) {
          const units =
            encoding !== 'gsm7'
              ? part.length
              : [...part].reduce((sum, char) => sum + (GSM_EXTENSION.has(char) ? 2 : 1), 0);
          expect(units).toBeLessThanOrEqual(limit[parts.length === 1 ? 0 : 1] ?? 0);
        }
        // A pair that was split would read as more code points than the whole text has.
        expect(parts.reduce((sum, part) => sum + [...part].length, 0)).toBe([...whole].length);
      }),
      { numRuns: 500 },
    );
  });

  test('counts as many parts as it makes', () => {
    fc.assert(
      fc.property(text, alphabet, (whole, chosen) => {
        expect(countParts(whole, chosen)).toBe(splitIntoParts(whole, chosen).parts.length);
      }),
      { numRuns: 1000 },
    );
  });
});
