import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTextArray, textArray } from '../../src/store/array-literal.js';

test('texts of any kind come back as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.string({ unit: 'binary' }))), (values) => {
      const literal = textArray(values).replace(/(?<=^\{|,)null(?=,|\}$)/g, 'NULL');
      expect(parseTextArray(literal)).toEqual(values);
    }),
  );
  expect(parseTextArray('{cmcc,"a b",NULL,"NULL","x\\"y\\\\"}')).toEqual(['cmcc', 'a b', null, 'NULL', 'x"y\\']);
  expect(parseTextArray('{}')).toEqual([]);
});
