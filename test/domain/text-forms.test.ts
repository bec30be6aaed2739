import { expect, it } from 'vitest';
import { inForm } from '../../src/domain/request/text-forms.js';

it('a signature may hold every character but brackets of all scripts and control characters', () => {
  const pattern = new RegExp(inForm('signature').pattern);
  const isRefused = /[<>\p{Ps}\p{Pe}\p{Cc}]/u;
  const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
  const differing = characters.filter((character) => pattern.test(character) === isRefused.test(character));
  expect(differing).toEqual([]);
  expect(pattern.test('Postrider 邮差 🐎')).toBe(true);
});
