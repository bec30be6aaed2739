import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/http/problem/problem.js';
import { createCursors } from '../../../src/http/query/cursor.js';
import {
  type FilterSchemas,
  type ListDefinition,
  oneOf,
  parseListQuery,
  renderList,
} from '../../../src/http/query/list-query.js';
import { parseTimeMs } from '../../../src/http/query/time-parameter.js';
import { listFromArray, readList } from '../../../src/store/list.js';
import { createSealer } from '../../../src/store/secrets/seal.js';

const definition = {
  name: 'things',
  timed: true,
  filters: { colour: oneOf(['red', 'blue'], 'A colour.'), label: Type.String({ minLength: 1, maxLength: 3 }) },
} as const;

const secretKey = randomBytes(32);
const cursors = createCursors(createSealer(secretKey));
const call = (requestTarget: string) => ({ requestTarget, cursors });

function faultsOf(query: string, list: ListDefinition<FilterSchemas, string> = definition): string[] {
  try {
    parseListQuery(list, call(`/things/?${query}`));
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors?.map(({ pointer, code }) => `${pointer} ${code}`) ?? [error.code];
  }
}

describe('a list query', () => {
  it('has defaults', () => {
    expect(parseListQuery(definition, call('/things/'))).toEqual({
      position: { page: 1, pageSize: 20, after: undefined },
      startMs: undefined,
      endMs: undefined,
      filters: {},
    });
  });

  it('has the required filters of its list, or gets a fault for each', () => {
    const needing = { ...definition, needed: ['colour', 'label'] } as const;
    expect(parseListQuery(needing, call('/things/?colour=red&label=a')).filters).toEqual({ colour: 'red', label: 'a' });
    expect(faultsOf('', needing)).toEqual(['?colour required', '?label required']);
    expect(faultsOf('colour=green&page=0', needing)).toEqual([
      '?colour out_of_range',
      '?page out_of_range',
      '?label required',
    ]);
  });

  it('gives a whole-number filter as a number', () => {
    const sized = { ...definition, filters: { size: Type.Integer({ minimum: 1 }) } } as const;
    expect(parseListQuery(sized, call('/things/?size=007')).filters).toEqual({ size: 7 });
    expect(faultsOf('size=0', sized)).toEqual(['?size out_of_range']);
  });

  it.each([
    ['page_size=0', '?page_size out_of_range'],
    ['page_size=101', '?page_size out_of_range'],
    ['page_size=99999999999999999999', '?page_size out_of_range'],
    ['page=-99999999999999999999', '?page out_of_range'],
    ['page=99999999999999999999', 'page_too_deep'],
    ['page_size=abc', '?page_size type'],
    ['page_size=', '?page_size type'],
    ['page_size=1e1', '?page_size type'],
    ['page_size=1.0', '?page_size type'],
    ['page=0', '?page out_of_range'],
    ['page=-1', '?page out_of_range'],
    ['page=1&page=1', '?page too_many'],
    ['colour=green', '?colour out_of_range'],
    ['colour=', '?colour out_of_range'],
    ['label=', '?label too_short'],
    ['label=abcd', '?label too_long'],
    ['shape=round', '?shape unknown_field'],
    ['__proto__=1', '?__proto__ unknown_field'],
    ['constructor=1', '?constructor unknown_field'],
    ['label=%ff', '?label format'],
    ['label=%00', '?label format'],
    ['%ff=1', '? format'],
    ['start_at=yesterday', '?start_at format'],
    ['start_at=2026-11-14', '?start_at format'],
    ['start_at=2026-11-14T00:00:00', '?start_at format'],
    ['end_at=2026-02-30T00:00:00Z', '?end_at format'],
    ['start_at=2&end_at=1', '?end_at out_of_range'],
    ['cursor=abc', '?cursor format'],
    ['cursor=', '?cursor too_short'],
    [`cursor=${cursors.seal({ list: 'others', page: 2, after: '5' })}`, '?cursor format'],
    [`cursor=${cursors.seal({ list: 'things', page: 2, after: 'x' })}`, '?cursor format'],
    [`cursor=${cursors.seal({ list: 'things', page: 2, after: '9223372036854775808' })}`, '?cursor format'],
    [`page=2&cursor=${cursors.seal({ list: 'things', page: 2, after: '5' })}`, '?cursor not_allowed_together'],
    ['page=101&page_size=100', 'page_too_deep'],
    ['page=501', 'page_too_deep'],
  ])('refuses %s with %s', (query, fault) => {
    expect(faultsOf(query)).toEqual([fault]);
  });

  it('reports all faults at once', () => {
    expect(faultsOf('page=0&colour=x&nope=1')).toEqual([
      '?page out_of_range',
      '?colour out_of_range',
      '?nope unknown_field',
    ]);
  });

  it('takes pages up to 10,000 items deep, and cursors of any depth', () => {
    expect(faultsOf('page=100&page_size=100')).toEqual([]);
    expect(faultsOf('page=500')).toEqual([]);
    const cursor = cursors.seal({ list: 'things', page: 4000, after: '77' });
    expect(parseListQuery(definition, call(`/?cursor=${cursor}`)).position).toEqual({
      page: 4000,
      pageSize: 20,
      after: '77',
    });
  });

  it('counts characters as code points', () => {
    expect(faultsOf(`label=${encodeURIComponent('😀😀😀')}`)).toEqual([]);
  });

  it('answers any query with a value or a Problem', () => {
    const name = fc.constantFrom('page', 'page_size', 'cursor', 'start_at', 'end_at', 'colour', 'label', 'x');
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.integer().map(String));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), (pairs) => {
        faultsOf(pairs.map(([key, text]) => `${key}=${text.replaceAll('&', '')}`).join('&'));
      }),
    );
  });
});

describe('a time', () => {
  it.each([
    ['1794700800000', 1794700800000],
    ['0', 0],
    ['2026-11-14T23:57:00Z', Date.UTC(2026, 10, 14, 23, 57)],
    ['2026-11-14t23:57:00.029z', Date.UTC(2026, 10, 14, 23, 57, 0, 29)],
    ['2026-11-15T07:57:00+08:00', Date.UTC(2026, 10, 14, 23, 57)],
    ['2026-11-15T07:57:00 08:00', Date.UTC(2026, 10, 14, 23, 57)],
    ['2026-11-14T22:57:00-01:00', Date.UTC(2026, 10, 14, 23, 57)],
    // Finer than a millisecond: the first millisecond that is not before it.
    ['2026-11-14T23:57:00.0001Z', Date.UTC(2026, 10, 14, 23, 57, 0, 1)],
    ['2026-11-14T23:57:00.001000Z', Date.UTC(2026, 10, 14, 23, 57, 0, 1)],
    ['2026-11-14T23:57:60Z', Date.UTC(2026, 10, 14, 23, 58)],
    ['1960-01-01T00:00:00Z', 0],
  ])('%s is read', (text, ms) => {
    expect(parseTimeMs(text)).toBe(ms);
  });

  it.each(['', '-1', '1e3', '2026-13-01T00:00:00Z', '2026-11-14T24:00:00Z', '2026-11-14T00:00:00+0800', 'now'])(
    '%j is none',
    (text) => {
      expect(parseTimeMs(text)).toBeUndefined();
    },
  );
});

describe('a cursor', () => {
  const keys = fc.oneof(fc.string({ minLength: 1, maxLength: 80 }), fc.bigInt({ min: 0n, max: 2n ** 63n }).map(String));

  it('survives the round trip and nothing else, and is the same each time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.array(keys, { minLength: 1 }), fc.nat(), (page, rows, place) => {
        const sealed = cursors.sealAll('things', page, rows);
        expect(rows.map((after) => cursors.seal({ list: 'things', page, after }))).toEqual(sealed);
        const [text = ''] = sealed;
        expect(cursors.open(text, 'things')).toEqual({ list: 'things', page, after: rows[0] });
        const at = place % text.length;
        const other = text[at] === 'A' ? 'B' : 'A';
        for (const changed of [text.slice(0, -1), `${text}=`, text.slice(0, at) + other + text.slice(at + 1)]) {
          expect(cursors.open(changed, 'things')).toBeUndefined();
        }
        expect(cursors.open(text, 'others')).toBeUndefined();
      }),
    );
  });

  it('shows nothing of its key, and two of one beginning have nothing in common', () => {
    const sealed = cursors.sealAll('things', 1, ['8613900139001', '8613900139002', 'lottery']);
    for (const text of sealed) {
      expect(Buffer.from(text, 'base64url').toString('latin1')).not.toMatch(/139|lott/);
      expect(text).toMatch(/^[\w-]+$/);
    }
    expect(new Set(sealed.map((text) => text.slice(0, 8))).size).toBe(3);
    expect(new Set(sealed.map((text) => text.slice(22, 30))).size).toBe(3);
  });

  it('of the old key is read during its rotation, and not after it', () => {
    const text = cursors.seal({ list: 'things', page: 2, after: '5' });
    const nextKey = randomBytes(32);
    expect(createCursors(createSealer(nextKey, secretKey)).open(text, 'things')?.after).toBe('5');
    expect(createCursors(createSealer(nextKey)).open(text, 'things')).toBeUndefined();
  });
});

describe('a list', () => {
  const asTheyAre = (rows: readonly string[]) => rows;

  it('walks every row exactly once, by page and by cursor, and ends with null', async () => {
    const rows = Array.from({ length: 45 }, (_, index) => String(100 - index));
    const source = listFromArray(rows, (row) => row);
    const byPage: string[] = [];
    const byCursor: string[] = [];
    let search = '?';
    for (let page = 1; page <= 3; page += 1) {
      const query = parseListQuery(definition, call(`/?page=${page}`));
      byPage.push(...(await readList(source, query.position, asTheyAre)).items);
      const { position } = parseListQuery(definition, call(search));
      const walked = renderList('things', { cursors }, await readList(source, position, asTheyAre));
      expect(walked).toMatchObject({ page, page_size: 20, total: 45, total_is_exact: true });
      expect(walked.next_cursor === null).toBe(page === 3);
      byCursor.push(...walked.items);
      search = `?cursor=${walked.next_cursor}`;
    }
    expect(byPage).toEqual(rows);
    expect(byCursor).toEqual(rows);
  });

  it('counts a page beyond the end, and no further than 10,000', async () => {
    const rows = Array.from({ length: 10_001 }, (_, index) => String(index));
    const read = (count: number, page: number) =>
      readList(listFromArray(rows.slice(0, count), String), { page, pageSize: 100, after: undefined }, asTheyAre);
    expect(await read(250, 9)).toMatchObject({ items: [], total: 250, totalIsExact: true, nextKey: undefined });
    expect(await read(10_000, 1)).toMatchObject({ total: 10_000, totalIsExact: true });
    expect(await read(10_001, 1)).toMatchObject({ total: 10_000, totalIsExact: false });
  });
});
