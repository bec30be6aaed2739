import { expect, test } from 'vitest';
import { addCountryCode } from '../../../src/domain/phone/national-prefix.js';

test.each([
  ['138', 'CN', '86138'],
  ['13', 'CN', '8613'],
  ['1709', 'CN', '861709'],
  ['151', 'DE', '49151'],
  ['7911', 'GB', '447911'],
] as const)('%s in %s lacks its country code: %s', (prefix, region, meant) => {
  expect(addCountryCode(prefix, region)).toBe(meant);
});

test.each([
  ['86138', 'CN'],
  ['8', 'CN'],
  ['+138', 'CN'],
  ['49151', 'CN'],
  ['852', 'CN'],
  ['999', 'CN'],
  ['1212', 'US'],
] as const)('%s in %s has its country code', (prefix, region) => {
  expect(addCountryCode(prefix, region)).toBeUndefined();
});
