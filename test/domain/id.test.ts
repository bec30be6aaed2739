import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createIdSource, firstIdAt, formatNo, parseNo, timeOfId } from '../../src/domain/id.js';

const NOON = Date.parse('2026-11-15T12:00:00.000Z');
const ids = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });

describe('making ids', () => {
  test('never repeats one, even when far more are made than chance allows in one millisecond', () => {
    const next = createIdSource({ now: () => NOON, randomBytes });
    const made = Array.from({ length: 20_000 }, next);
    expect(new Set(made).size).toBe(made.length);
    expect(new Set(made.map((id) => timeOfId(id).getTime()))).toEqual(new Set([NOON]));
  });

  test('never repeats one with a random source that only ever says the same', () => {
    const next = createIdSource({ now: () => NOON, randomBytes: (count) => new Uint8Array(count).fill(255) });
    expect(new Set(Array.from({ length: 500 }, next)).size).toBe(500);
  });

  test('goes on into the next millisecond when one is half full', () => {
    let low = 0;
    const counting = (count: number): Uint8Array => {
      const bytes = new Uint8Array(count);
      for (let at = 0; at < count; at += 3, low++) bytes.set([(low >> 16) & 255, (low >> 8) & 255, low & 255], at);
      return bytes;
    };
    const next = createIdSource({ now: () => NOON, randomBytes: counting });
    let last = 0n;
    for (let count = 0; count < 2 ** 19; count++) last = next();
    expect(timeOfId(last).getTime()).toBe(NOON);
    expect(timeOfId(next()).getTime()).toBe(NOON + 1);
  });

  test('does not go back when the clock does', () => {
    const clock = [NOON, NOON + 5, NOON - 1000, NOON + 5, NOON + 6];
    const next = createIdSource({ now: () => clock.shift() ?? NOON, randomBytes });
    const times = Array.from({ length: 5 }, () => timeOfId(next()).getTime() - NOON);
    expect(times).toEqual([0, 5, 5, 5, 6]);
  });

  test('uses all twenty lower bits', () => {
    const next = createIdSource({ now: () => NOON, randomBytes });
    const seen = Array.from({ length: 2000 }, next).reduce((bits, id) => bits | (id & 0xfffffn), 0n);
    expect(seen).toBe(0xfffffn);
  });
});

test('the first id of a moment bounds a time filter', () => {
  const next = createIdSource({ now: () => NOON, randomBytes });
  for (const id of Array.from({ length: 100 }, next)) {
    expect(id >= firstIdAt(new Date(NOON)) && id < firstIdAt(new Date(NOON + 1))).toBe(true);
  }
  expect(firstIdAt(new Date(-5))).toBe(0n);
  expect(firstIdAt(new Date(8.64e15))).toBeLessThan(2n ** 63n);
});

describe('the text form', () => {
  test('is a letter and thirteen characters, and reads back in either case', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const text = formatNo('T', id);
        expect(text).toMatch(/^T[0-9A-HJKMNP-TV-Z]{13}$/);
        expect(parseNo('T', text)).toBe(id);
        expect(parseNo('T', text.toLowerCase())).toBe(id);
      }),
    );
  });

  test('sorts as the ids do', () => {
    fc.assert(
      fc.property(ids, ids, (one, other) => {
        expect(formatNo('T', one) < formatNo('T', other)).toBe(one < other);
      }),
    );
  });

  test.each([
    '',
    'T',
    'T000000000000',
    'T00000000000000',
    'S0000000000000',
    '0000000000000',
    'T000000000000O',
    'T000000000000I',
    'T000000000000L',
    'T000000000000U',
    'T000000000000-',
    'T 000000000000',
    'T000000000000ſ',
    'T8000000000000',
    'TZZZZZZZZZZZZZ',
  ])('does not read %j', (text) => {
    expect(parseNo('T', text)).toBeUndefined();
  });

  test('reads nothing that it would not write', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        const id = parseNo('T', text);
        if (id !== undefined) expect(formatNo('T', id)).toBe(text.toUpperCase());
      }),
    );
  });

  test('has none for what does not fit', () => {
    expect(() => formatNo('T', -1n)).toThrow(RangeError);
    expect(() => formatNo('T', 2n ** 63n)).toThrow(RangeError);
  });
});
