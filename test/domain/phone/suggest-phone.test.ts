import { expect, test } from 'vitest';
import { suggestPhone } from '../../../src/domain/phone/suggest-phone.js';

test.each([
  ['4915112345678', 'CN', '+4915112345678'],
  ['49 151 1234-5678', 'CN', '+4915112345678'],
  ['+13800138000', 'CN', '+8613800138000'],
  ['8613800138000', 'DE', '+8613800138000'],
] as const)('%s in %s is meant as %s', (raw, region, meant) => {
  expect(suggestPhone(raw, region)).toBe(meant);
});

test.each(['123', 'nonsense', '99999999999', '4915112345678 ext. 5', ''])('nothing is near %s', (raw) => {
  expect(suggestPhone(raw, 'CN')).toBeUndefined();
});
