import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finishSteps } from '../../../src/domain/steps.js';
import { parseJsonBody, parseJsonInSteps } from '../../../src/http/body/json-body.js';
import { Problem } from '../../../src/http/problem/problem.js';

/** What is read of it, or the code of its problem. */
function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

const whole = (text: string) => outcome(() => parseJsonBody(Buffer.from(text)));
/** Cut wherever it can be. */
const inSteps = (text: string) => outcome(() => finishSteps(parseJsonInSteps(Buffer.from(text), 1)));

describe('a body parsed in steps', () => {
  it('is read as in one go, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5, stringUnit: 'binary' }), fc.nat({ max: 3 }), (text, spaces) => {
        const spaced = JSON.stringify(JSON.parse(text), null, spaces);
        expect(inSteps(spaced)).toEqual(whole(spaced));
      }),
      { numRuns: 300 },
    );
  });

  it('is refused as in one go when a few of its characters are changed', () => {
    const valid = JSON.stringify({ a: [1, '\\"],{', { b: [[2], []], c: '\\\\' }], d: {}, e: [], f: 'x' });
    const character = fc.constantFrom(...'[]{},:"\\ 1e', '');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: valid.length }), character), { maxLength: 4 }), (changes) => {
        const text = changes.reduce((sofar, [at, by]) => sofar.slice(0, at) + by + sofar.slice(at + 1), valid);
        expect(inSteps(text), text).toEqual(whole(text));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    '{"a":[1,,2]}',
    '{"a":[,1]}',
    '{"a":[1,]}',
    '{"a":[1}}',
    '{"a":[1',
    '{"a":[1]]}',
    '{"a":[1][2]}',
    '{"a":1,"a":[2]}',
  ])('is malformed as %s', (text) => {
    expect(inSteps(text)).toBe('malformed_json');
    expect(whole(text)).toBe('malformed_json');
  });

  it.each(['{"a":[]}', '{"a":[ ],"b":[1,2],"1":[3]}', '[[1,2],[3],{}]', '{"__proto__":[1,2]}', '{"a":{"b":[1,2]}}'])(
    'reads %s',
    (text) => {
      expect(inSteps(text)).toEqual({ value: JSON.parse(text) });
    },
  );
});

describe('the limits of a body', () => {
  it.each([
    ['32 levels', '['.repeat(32) + ']'.repeat(32), 'value'],
    ['33 levels', '['.repeat(33) + ']'.repeat(33), 'malformed_json'],
    ['1,000 keys', JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, 1]))), 'value'],
    [
      '1,001 keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`k${at}`, 1]))),
      'invalid_request',
    ],
    ['250,000 values', `[${'1,'.repeat(249_999)}1]`, 'value'],
    ['250,002 values', `[${'1,'.repeat(250_001)}1]`, 'invalid_request'],
  ])('%s', (_, text, expected) => {
    const found = whole(text);
    expect(typeof found === 'string' ? found : 'value').toBe(expected);
  });
});
