import fc from 'fast-check';
import exampleNumbers from 'libphonenumber-js/examples.mobile.json' with { type: 'json' };
import metadata from 'libphonenumber-js/max/metadata';
import { describe, expect, test } from 'vitest';
import {
  normaliseAny,
  normaliseChinaMobile,
  normalisePhone,
  parseRegion,
  phoneKey,
  type Region,
} from '../../../src/domain/phone/phone.js';
import { normalisePlainE164 } from '../../../src/domain/phone/plain-e164.js';

describe('normalising a phone', () => {
  test.each([
    '13800139001',
    '+8613800139001',
    '8613800139001',
    '008613800139001',
    '013800139001',
    '138 0013 9001',
    '138-0013-9001',
    '(138) 0013-9001',
    ' 13800139001 ',
    '１３８００１３９００１',
    '＋８６ 138 0013 9001',
  ])('reads %j as the same number', (raw) => {
    expect(normalisePhone(raw, 'CN')).toBe('8613800139001');
  });

  test.each([
    ['9001', '8613800139001'],
    ['9005', '8613800139005'],
    ['9009', '8613800139009'],
  ])('takes the test number ending in %s as real', (ending, digits) => {
    expect(normalisePhone(`1380013${ending}`, 'CN')).toBe(digits);
  });

  test('reads numbers of other countries, and landlines', () => {
    expect(normalisePhone('+12025550123', 'CN')).toBe('12025550123');
    expect(normalisePhone('0044 20 7946 0958', 'CN')).toBe('442079460958');
    expect(normalisePhone('010-1234 5678', 'CN')).toBe('861012345678');
    expect(normalisePhone('(202) 555-0123', 'US')).toBe('12025550123');
    expect(normalisePhone('13800139001', 'US')).toBeUndefined();
    expect(normalisePhone('+8613800139001', 'US')).toBe('8613800139001');
  });

  test.each([
    '',
    ' ',
    'not a number',
    'call 13800139001',
    '13800139001 please',
    '1380013900',
    '138001390011',
    '12345678901',
    '14000139001',
    '10086',
    '+13800139001',
    '++8613800139001',
    '13800139001 ext 5',
    '0'.repeat(32),
    '9'.repeat(32),
    '\u0000',
  ])('has no number for %j', (raw) => {
    expect(normalisePhone(raw, 'CN')).toBeUndefined();
  });

  test('never throws, and whatever it returns is E.164 digits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 32 }), (raw) => {
        expect(normalisePhone(raw, 'CN') ?? '86').toMatch(/^[1-9]\d{1,14}$/);
      }),
    );
  });
});

describe('the fast path', () => {
  const mobile = fc.stringMatching(/^1[3-9]\d{9}$/);
  const digits = fc.stringMatching(/^[01]?\d{6,14}$/);
  const prefix = fc.constantFrom(
    '',
    '+86',
    '86',
    '0086',
    '0',
    '+',
    '00',
    '+086',
    '+86 ',
    '1795',
    '17951',
    '11808',
    '+1',
  );
  const region = fc.constantFrom<Region>('CN', 'CN', 'CN', 'US', 'HK', 'GB', 'RU', 'IT');
  const spell = (text: string, cuts: readonly number[], separator: string, wide: boolean): string => {
    const spaced = [...text].map((char, at) => (cuts.includes(at) ? separator + char : char)).join('');
    return wide ? spaced.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))) : spaced;
  };

  test('is there: a plain mobile number does not reach the library', () => {
    expect(normaliseChinaMobile('13800139001', 'CN')).toBe('8613800139001');
    expect(normaliseChinaMobile('+8613800139001', 'US')).toBe('8613800139001');
  });

  test('agrees with the library on every prefix of a Chinese mobile number', () => {
    for (let head = 10_000; head < 20_000; head++) {
      const raw = `${head}139001`;
      expect(normaliseChinaMobile(raw, 'CN'), raw).toBe(normaliseAny(raw, 'CN'));
    }
  });

  test('agrees with the library over many spellings and regions', () => {
    fc.assert(
      fc.property(
        prefix,
        fc.oneof(mobile, digits),
        region,
        fc.array(fc.nat({ max: 12 }), { maxLength: 3 }),
        fc.constantFrom('', '', ' ', '-', '.', '(', ')'),
        fc.boolean(),
        (head, body, defaultRegion, cuts, separator, wide) => {
          const raw = spell(head + body, cuts, separator, wide);
          expect(normalisePhone(raw, defaultRegion), raw).toBe(normaliseAny(raw, defaultRegion));
        },
      ),
      { numRuns: 5000 },
    );
  });
});

describe('the fast path for plain E.164', () => {
  const callingCodes = Object.keys(metadata.country_calling_codes);

  test('is there: most mobile numbers of the world do not reach the library', () => {
    const missed = Object.entries(exampleNumbers).filter(([country, national]) => {
      const code = metadata.countries[country as Region]?.[0];
      return normalisePlainE164(`+${code}${national}`) !== `${code}${national}`;
    });
    // What begins like a national prefix is left to the library.
    expect(missed.length).toBeLessThan(Object.keys(exampleNumbers).length / 10);
  });

  test('agrees with the library on the numbers of every country', () => {
    let recognised = 0;
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(exampleNumbers)), fc.nat(), fc.nat(), (country, changed, kept) => {
        const national = String(exampleNumbers[country as keyof typeof exampleNumbers]);
        const code = metadata.countries[country as Region]?.[0];
        const from = kept % (national.length + 1);
        const tail = String(changed)
          .padStart(national.length, '3')
          .slice(0, national.length - from);
        const raw = `+${code}${national.slice(0, from)}${tail}`;
        const found = normalisePlainE164(raw);
        if (found !== undefined) recognised += 1;
        expect(found ?? normaliseAny(raw, 'CN'), raw).toBe(normaliseAny(raw, 'CN'));
      }),
      { numRuns: 10_000 },
    );
    expect(recognised).toBeGreaterThan(1000);
  });

  test('agrees with the library on any digits after any calling code', () => {
    const code = fc.oneof(
      fc.constantFrom(...callingCodes),
      fc.constantFrom('1', '7', '39', '44', '61', '54', '55', '800'),
    );
    fc.assert(
      fc.property(code, fc.stringMatching(/^\d{2,13}$/), (head, digits) => {
        const raw = `+${head}${digits}`;
        const found = normalisePlainE164(raw);
        if (found !== undefined) expect(found, raw).toBe(normaliseAny(raw, 'US'));
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('the key of a phone', () => {
  test('is the same for every spelling of a real number', () => {
    const keys = ['13800139001', '+86 138 0013 9001', '008613800139001'].map((raw) =>
      phoneKey(raw, normalisePhone(raw, 'CN')),
    );
    expect(new Set(keys)).toEqual(new Set(['8613800139001']));
  });

  test('is a stable negative number for text that is no number', () => {
    expect(phoneKey('nonsense', undefined)).toBe(phoneKey('nonsense', undefined));
    expect(phoneKey('nonsense', undefined)).not.toBe(phoneKey('nonsense ', undefined));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 32 }), (raw) => {
        const key = BigInt(phoneKey(raw, undefined));
        expect(key < 0n && key >= -(2n ** 62n)).toBe(true);
      }),
    );
  });
});

test('a region is one the library knows', () => {
  expect(parseRegion('CN')).toBe('CN');
  expect(parseRegion('cn')).toBeUndefined();
  expect(parseRegion('XX')).toBeUndefined();
});
