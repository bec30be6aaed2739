import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ListSource, readRows } from '../../../src/store/list.js';
import { listOverBuckets, mergeLists } from '../../../src/store/lists/over-buckets.js';

/** Newest first, as the lists of tasks are. */
function listOf(ids: readonly number[]): ListSource<number> {
  const ordered = ids.toSorted((one, other) => other - one);
  return {
    keyOf: String,
    async rows({ after, offset, limit }) {
      const left = after === undefined ? ordered : ordered.filter((id) => id < Number(after));
      return left.slice(offset, offset + limit);
    },
    count: async (limit) => Math.min(limit, ordered.length),
  };
}

test('a list over buckets reads like the list of all their rows', async () => {
  const buckets = fc.array(fc.array(fc.nat(10_000)), { minLength: 1, maxLength: 6 });
  const window = fc.record({
    offset: fc.nat(20),
    limit: fc.integer({ min: 1, max: 20 }),
    after: fc.option(fc.nat(10_000)),
  });
  await fc.assert(
    fc.asyncProperty(buckets, window, async (lists, { offset, limit, after }) => {
      const all = [...new Set(lists.flat())];
      const seen = new Set<number>();
      const apart = lists.map((ids) => ids.filter((id) => !seen.has(id) && seen.add(id)));
      const merged = listOverBuckets(
        [...apart.keys()],
        (bucket) => listOf(apart[bucket] ?? []),
        (one, other) => other - one,
      );
      const place = { offset, limit, after: after === null ? undefined : String(after) };
      expect(await merged.rows(place)).toEqual(await listOf(all).rows(place));
      expect(await merged.count(limit)).toBe(await listOf(all).count(limit));
    }),
  );
});

/** Walks so many of its ids for a page, and has only the even ones. */
function scannedOf(ids: readonly number[], walked: number): ListSource<number> {
  const page: NonNullable<ListSource<number>['scan']>['page'] = async ({
    after,
    offset,
    limit,
    oldestFirst = false,
  }) => {
    const sign = oldestFirst ? -1 : 1;
    const ordered = ids.toSorted((one, other) => sign * (other - one));
    const left = after === undefined ? ordered : ordered.filter((id) => sign * (Number(after) - id) > 0);
    const walk = left.slice(0, walked);
    const rows = walk.filter((id) => id % 2 === 0).slice(offset, offset + limit);
    const isCut = rows.length < limit && walk.length === walked;
    return { rows, resumeAfter: isCut ? String(walk.at(-1)) : undefined };
  };
  const count = async (limit: number) => ({ count: Math.min(limit, ids.length), isExact: ids.length < walked });
  return {
    keyOf: String,
    rows: async (window) => (await page(window)).rows,
    count: async (limit) => (await count(limit)).count,
    scan: { page, count },
  };
}

function plainOf(ids: readonly number[]): ListSource<number> {
  const { scan: _, ...plain } = scannedOf(ids, 1_000);
  return plain;
}

test('a list of which a part is walked gives every row once, in order, whichever way it is read', async () => {
  const ids = fc.uniqueArray(fc.nat(100), { maxLength: 60 });
  const options = fc.record({ limit: fc.integer({ min: 1, max: 8 }), walked: fc.integer({ min: 1, max: 8 }) });
  await fc.assert(
    fc.asyncProperty(ids, options, fc.boolean(), async (all, { limit, walked }, oldestFirst) => {
      const [some, others] = [all.filter((id) => id % 3 === 0), all.filter((id) => id % 3 !== 0)];
      const merged = mergeLists([plainOf(some), scannedOf(others, walked)], (one, other) => other - one);
      const read: number[] = [];
      for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const { rows, resumeAfter } = await readRows(merged, { after, offset: 0, limit, oldestFirst });
        read.push(...rows);
        after = rows.length === limit ? String(rows.at(-1)) : resumeAfter;
      }
      const sign = oldestFirst ? -1 : 1;
      expect(read).toEqual(all.filter((id) => id % 2 === 0).sort((one, other) => sign * (other - one)));
      expect((await merged.scan?.count(1_000))?.isExact).toBe(others.length < walked);
    }),
  );
});
