import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanArray, numericArray, textArray, timeArray } from '../../src/store/array-literal.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** What PostgreSQL reads, given back as JSON in the order of the array. */
async function read(type: string, literal: string): Promise<unknown> {
  const { sql } = database;
  const [row] = await sql`select coalesce(json_agg(v order by at), '[]') as read
    from unnest(${literal}::${sql.unsafe(type)}[]) with ordinality as u (v, at)`;
  return row?.read;
}

const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\u0000'));

test('texts arrive as they are, whatever they hold', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.oneof(text, fc.constantFrom('null', '', '{', '"', '\\', ',')))),
      async (values) => {
        expect(await read('text', textArray(values))).toEqual(values);
      },
    ),
    { numRuns: 200 },
  );
});

test('whole numbers arrive exactly, also those beyond what a number holds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))), async (values) => {
      const expected = values.map((value) => (value === null ? null : String(value)));
      expect(await read('text', numericArray(values))).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});

test('times keep their millisecond and booleans their truth', async () => {
  const times = [new Date(0), new Date(1_794_700_800_123), null];
  const shown = ['1970-01-01T00:00:00.000Z', '2026-11-15T00:00:00.123Z', null];
  const { sql } = database;
  const rows = await sql`select v from unnest(${timeArray(times)}::timestamptz[]) as u (v)`;
  expect(rows.map((row) => row.v?.toISOString() ?? null)).toEqual(shown);
  expect(await read('boolean', booleanArray([true, false, true]))).toEqual([true, false, true]);
});
