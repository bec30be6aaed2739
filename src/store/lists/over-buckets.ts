import { type ListScan, type ListSource, readRows } from '../list.js';

type Compare<Item> = (one: Item, other: Item) => number;

/**
 * One list over several buckets: each gives as much as the page may need, and they are merged. On one PostgreSQL there is one
 * bucket, and nothing to merge.
 */
export function listOverBuckets<Item>(
  buckets: readonly number[],
  sourceOf: (bucket: number) => ListSource<Item>,
  compare: Compare<Item>,
): ListSource<Item> {
  return mergeLists(buckets.map(sourceOf), compare);
}

/** Each source in the order of `compare`, or against it where the oldest come first. A key of one is a place in all. */
export function mergeLists<Item>(all: readonly ListSource<Item>[], compare: Compare<Item>): ListSource<Item> {
  const [first, ...others] = all;
  if (first === undefined) throw new Error('a list has one source at least');
  if (others.length === 0) return first;
  const sources = [first, ...others];
  const count: ListScan<Item>['count'] = async (limit) => {
    const counts = await Promise.all(
      sources.map(async ({ scan, ...plain }) =>
        scan === undefined ? { count: await plain.count(limit), isExact: true } : await scan.count(limit),
      ),
    );
    const sum = counts.reduce((total, one) => total + one.count, 0);
    return { count: Math.min(limit, sum), isExact: counts.every(({ isExact }) => isExact) };
  };
  const page: ListScan<Item>['page'] = async ({ offset, limit, ...rest }) => {
    const pages = await Promise.all(
      sources.map((source) => readRows(source, { ...rest, offset: 0, limit: offset + limit })),
    );
    const sign = rest.oldestFirst === true ? -1 : 1;
    const merged = pages.flatMap(({ rows }) => rows).sort((one, other) => sign * compare(one, other));
    // A source that ended its page early may have more behind the place where it did.
    const ends = pages.map(({ resumeAfter }) => resumeAfter).filter((key) => key !== undefined);
    const nearest = ends.toSorted((one, other) => sign * (BigInt(one) > BigInt(other) ? -1 : 1))[0];
    const isKnown = (row: Item) =>
      nearest === undefined || sign * Number(BigInt(first.keyOf(row)) - BigInt(nearest)) >= 0;
    const rows = merged.filter(isKnown).slice(offset, offset + limit);
    return { rows, resumeAfter: rows.length < limit ? nearest : undefined };
  };
  const list = {
    keyOf: first.keyOf,
    rows: async (bounds: Parameters<typeof page>[0]) => (await page(bounds)).rows,
    count: async (limit: number) => (await count(limit)).count,
  };
  return sources.some(({ scan }) => scan !== undefined) ? { ...list, scan: { page, count } } : list;
}
