import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkTemplateBody,
  parseTemplate,
  renderTemplate,
  VARIABLE_NAMES,
} from '../../../src/domain/message/template.js';

const values = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, `<${name}>`]));
const render = (body: string, variables = values): string => renderTemplate(parseTemplate(body), variables);

describe('rendering', () => {
  test.each([
    ['no placeholder', 'no placeholder'],
    ['', ''],
    ['{p1}', '<p1>'],
    ['Dear {p1}, your code is {p2}.', 'Dear <p1>, your code is <p2>.'],
    ['{p1}{p1}{p18}', '<p1><p1><p18>'],
    ['{p10}{p1}0', '<p10><p1>0'],
    ['{{p1}}', '{<p1>}'],
    ['a { b } {} {x} {p} {p0} {p19} {p01} {P1} { p1 } {p1', 'a { b } {} {x} {p} {p0} {p19} {p01} {P1} { p1 } {p1'],
    ['$& $1 {p3}', '$& $1 <p3>'],
    ['您好{p1}，😜{p2}', '您好<p1>，😜<p2>'],
  ])('%j', (body, text) => {
    expect(render(body)).toBe(text);
  });

  test('does not search values for placeholders', () => {
    expect(render('{p1} {p2}', { p1: '{p2}', p2: '$&' })).toBe('{p2} $&');
  });

  test('takes an empty value, but not a missing one', () => {
    expect(render('[{p1}]', { p1: '' })).toBe('[]');
    expect(() => render('[{p1}]', {})).toThrow('p1');
  });

  test('agrees with replacing one placeholder at a time', () => {
    const piece = fc.oneof(
      fc.constantFrom(...VARIABLE_NAMES.map((name) => `{${name}}`), '{', '}', 'p1', '{p', '0}'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const body = pieces.join('');
        expect(render(body)).toBe(body.replace(/\{p(\d+)\}/g, (whole, digits) => values[`p${digits}`] ?? whole));
      }),
    );
  });
});

test('the variables used are listed once each, in their order', () => {
  expect(parseTemplate('{p10} {p2} {p10} {p1}').used).toEqual(['p1', 'p2', 'p10']);
  expect(parseTemplate('none').used).toEqual([]);
});

describe('checking a body', () => {
  test.each(['x', '{p1}', ' ', '{ } {x} {}', '中'.repeat(2000), '😜'.repeat(2000), '{p1}'.repeat(30), 'line\nbreak'])(
    'accepts it (%#)',
    (body) => {
      expect(checkTemplateBody(body)).toEqual([]);
    },
  );

  test.each<[unknown, string[]]>([
    [undefined, ['type']],
    [null, ['type']],
    [7, ['type']],
    ['', ['too_short']],
    ['x'.repeat(2001), ['too_long']],
    ['a\u0000b', ['format']],
    ['a\ud83d', ['format']],
    ['{p1}'.repeat(31), ['too_many']],
    ['{p0}', ['unknown_variable']],
    ['{p19}', ['unknown_variable']],
    ['{p01}', ['unknown_variable']],
    ['{P1}', ['unknown_variable']],
    ['\u0000{p19}', ['format', 'unknown_variable']],
  ])('refuses it (%#)', (body, codes) => {
    expect(checkTemplateBody(body).map((fault) => fault.code)).toEqual(codes);
  });

  test('names what it did not understand, at the field it is in', () => {
    expect(checkTemplateBody('{p19} {p0} {p19}')).toEqual([
      {
        pointer: '/body',
        code: 'unknown_variable',
        message: 'has {p19}, {p0}; placeholders are {p1} to {p18}',
        key: 'misspelt_placeholders',
        params: { names: '{p19}, {p0}', first: '{p1}', last: '{p18}' },
      },
    ]);
  });
});
