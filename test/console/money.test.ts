import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addAmounts,
  findMissing,
  isNegative,
  shareOf,
  showAmount,
  splitAmount,
  toDecimal,
  toMillionths,
} from '../../packages/console/src/format/money.js';

test('an amount is read and written without a loss, however large', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), (millionths) => {
      expect(toMillionths(toDecimal(millionths))).toBe(millionths);
    }),
  );
});

test('sums are exact where floating point is not', () => {
  expect(addAmounts('0.100000', '0.200000')).toBe('0.300000');
  expect(addAmounts('9007199254740993.000001', '0.000001')).toBe('9007199254740993.000002');
});

test('amounts keep all their digits on screen', () => {
  expect(splitAmount('-1234567.050000')).toEqual({ sign: '−', whole: '1,234,567', fraction: '05', zeros: '0000' });
  expect(splitAmount('0.123456')).toEqual({ sign: '', whole: '0', fraction: '123456', zeros: '' });
  expect(showAmount('1000.500000', 'CNY')).toBe('1,000.50 CNY');
});

test('minus nothing is nothing', () => {
  expect(isNegative('-0.000000')).toBe(false);
  expect(splitAmount('-0.000000').sign).toBe('');
});

test('what is no amount is refused, never drawn', () => {
  for (const text of ['', 'NaN', '1e3', '1,000.00', '0.1234567']) expect(() => toMillionths(text)).toThrow();
});

test('shares are of the largest', () => {
  expect(shareOf('0.500000', toMillionths('2.000000'))).toBe(0.25);
  expect(shareOf('0.500000', 0n)).toBe(0);
});

test('what is missing for a price is what neither the balance nor the credit covers', () => {
  expect(findMissing('0.18', { available: '0.10', credit_limit: '0' })).toBe('0.080000');
  expect(findMissing('0.18', { available: '-2.5', credit_limit: '2.000001' })).toBe('0.679999');
  expect(findMissing('0.18', { available: '-2', credit_limit: '2.18' })).toBeUndefined();
});
