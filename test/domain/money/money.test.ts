import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatMoney, type Money, moneyFromMillionths, parseMoney } from '../../../src/domain/money/money.js';

const MAX = 2n ** 63n - 1n;
const amounts = fc.bigInt({ min: -MAX, max: MAX }).map(moneyFromMillionths);

describe('parsing an amount', () => {
  test.each<[string, bigint]>([
    ['0', 0n],
    ['1', 1_000_000n],
    ['0.05', 50_000n],
    ['0.000001', 1n],
    ['100.000000', 100_000_000n],
    ['12.5', 12_500_000n],
    ['9223372036854.775807', MAX],
  ])('reads %s', (text, millionths) => {
    expect(parseMoney(text)).toBe(millionths);
  });

  test.each([
    '',
    ' ',
    '.5',
    '5.',
    '01',
    '00.5',
    '+1',
    '1e3',
    '0x10',
    '1,000',
    '1 ',
    ' 1',
    '1\n',
    '0.0000001',
    '1.2.3',
    'NaN',
    'Infinity',
    '１',
    '--1',
    '9223372036854.775808',
    '9'.repeat(1000),
  ])('refuses %j', (text) => {
    expect(parseMoney(text)).toBeUndefined();
    expect(parseMoney(text, 'signed')).toBeUndefined();
  });

  test('takes a minus sign only where a sign is allowed', () => {
    expect(parseMoney('-1.5')).toBeUndefined();
    expect(parseMoney('-1.5', 'signed')).toBe(-1_500_000n);
    expect(parseMoney('-0', 'signed')).toBe(0n);
    expect(parseMoney('-9223372036854.775807', 'signed')).toBe(-MAX);
    expect(parseMoney('-9223372036854.775808', 'signed')).toBeUndefined();
  });

  test('never throws, whatever the text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => void parseMoney(text, 'signed')));
  });

  test('agrees with decimal arithmetic on digits alone', () => {
    const digits = fc.stringMatching(/^\d{0,6}$/);
    fc.assert(
      fc.property(fc.nat(), digits, (units, fraction) => {
        const text = fraction === '' ? `${units}` : `${units}.${fraction}`;
        const expected = BigInt(units) * 1_000_000n + BigInt(`${fraction}000000`.slice(0, 6));
        expect(parseMoney(text)).toBe(expected);
      }),
    );
  });
});

describe('formatting an amount', () => {
  test.each<[bigint, string]>([
    [0n, '0.000000'],
    [1n, '0.000001'],
    [-1n, '-0.000001'],
    [150_000n, '0.150000'],
    [-1_500_000n, '-1.500000'],
    [MAX, '9223372036854.775807'],
  ])('shows %d millionths as %s', (millionths, text) => {
    expect(formatMoney(millionths as Money)).toBe(text);
  });

  test('always has exactly six fraction digits, and reads back as the same amount', () => {
    fc.assert(
      fc.property(amounts, (money) => {
        const text = formatMoney(money);
        expect(text).toMatch(/^-?\d+\.\d{6}$/);
        expect(parseMoney(text, 'signed')).toBe(money);
      }),
    );
  });
});

test('a count of millionths beyond 64 bits is a broken invariant', () => {
  expect(moneyFromMillionths(MAX)).toBe(MAX);
  expect(() => moneyFromMillionths(MAX + 1n)).toThrow(RangeError);
  expect(() => moneyFromMillionths(-MAX - 1n)).toThrow(RangeError);
});
