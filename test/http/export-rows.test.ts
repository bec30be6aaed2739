// Rows are written member by member, with what the row before left behind; that must not be seen.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatGuardedRow, writeCell } from '../../src/domain/csv-row.js';
import { createRowFormat } from '../../src/http/export-rows.js';

const value = fc.oneof(
  fc.constantFrom(null, '', 'a', '=1', 'x,"y"', 0, 1, true, undefined),
  fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  fc.string(),
);
const items = fc.array(
  fc.record(
    { a: value, b: value, c: fc.oneof(fc.constant(null), fc.record({ d: value })) },
    { requiredKeys: ['a', 'c'] },
  ),
);

it('a line of JSON is what is made of the item and its cursor alone', () => {
  fc.assert(
    fc.property(items, (rows) => {
      const { write } = createRowFormat('application/x-ndjson', []);
      for (const item of rows) expect(write(item, 'k-1')).toBe(`${JSON.stringify({ ...item, cursor: 'k-1' })}\n`);
    }),
  );
});

it('a row of CSV is what is made of its cells alone', () => {
  fc.assert(
    fc.property(items, (rows) => {
      const { write } = createRowFormat('text/csv', ['a', 'b', 'c.d', 'cursor']);
      for (const item of rows) {
        const cells = [item.a, item.b, item.c?.d, 'k-1'].map(writeCell);
        expect(write(item, 'k-1')).toBe(formatGuardedRow(cells));
      }
    }),
  );
});
