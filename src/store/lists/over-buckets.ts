import type { ListSource } from '../list.js';

/**
 * One list over several buckets: each gives as much as the page may need, and they are merged. On one PostgreSQL there is one
 * bucket, and nothing to merge.
 */
export function listOverBuckets<Item>(
  buckets: readonly number[],
  sourceOf: (bucket: number) => ListSource<Item>,
  compare: (one: Item, other: Item) => number,
): ListSource<Item> {
  const [first, ...others] = buckets.map(sourceOf);
  if (first === undefined) throw new Error('a list is over one bucket at least');
  if (others.length === 0) return first;
  const sources = [first, ...others];
  return {
    keyOf: first.keyOf,
    async rows({ offset, limit, ...rest }) {
      const pages = await Promise.all(
        sources.map((source) => source.rows({ ...rest, offset: 0, limit: offset + limit })),
      );
      return pages
        .flat()
        .sort(compare)
        .slice(offset, offset + limit);
    },
    async count(limit) {
      const counts = await Promise.all(sources.map((source) => source.count(limit)));
      return Math.min(
        limit,
        counts.reduce((sum, count) => sum + count, 0),
      );
    },
  };
}
