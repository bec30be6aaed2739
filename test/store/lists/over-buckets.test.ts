import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ListSource } from '../../../src/store/list.js';
import { listOverBuckets } from '../../../src/store/lists/over-buckets.js';

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
