// The paging engine of every list: newest first, a page by number or after a key, and a total that is counted only as
// far as it is promised, so that no list costs more as history grows.

/** How far totals are exact, and how deep pages by number go. Cursors go any depth. */
export const MAX_COUNTED_ROWS = 10_000;

export interface ListPosition {
  /** The number shown in the answer. With a cursor it continues from the page the cursor came from. */
  readonly page: number;
  readonly pageSize: number;
  /** The key of the last row already seen; pages by number have none and skip rows instead. */
  readonly after: string | undefined;
}

export interface PageBounds {
  readonly after: string | undefined;
  readonly offset: number;
  readonly limit: number;
  /** The other way round, for exports: `after` is then followed by what is newer. Lists without a time keep their order. */
  readonly oldestFirst?: boolean;
}

/** One list, already narrowed by its filters. */
export interface ListSource<Row> {
  /** Rows in list order, from after `after` where it is given, without the first `offset`. */
  rows(bounds: PageBounds): Promise<readonly Row[]>;
  /** How many rows the filters match, counting no further than `limit`. The position plays no part. */
  count(limit: number): Promise<number>;
  /** What orders the rows and is unique among them. */
  keyOf(row: Row): string;
  /** Only where no index serves the filters: pages may end before they are full. `rows` and `count` are those of the scan. */
  readonly scan?: ListScan<Row>;
}

/** A list that filters rows while it walks them, and walks only so many for a page. */
export interface ListScan<Row> {
  page(bounds: PageBounds): Promise<ScannedPage<Row>>;
  count(limit: number): Promise<RowCount>;
}

export interface ScannedPage<Row> {
  readonly rows: readonly Row[];
  /** The key of the last scanned row, if the page is not full and the list continues. */
  readonly resumeAfter: string | undefined;
}

export interface RowCount {
  readonly count: number;
  /** False: there may be more. */
  readonly isExact: boolean;
}

export interface ListResult<Row> {
  readonly items: readonly Row[];
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  readonly totalIsExact: boolean;
  /** The key to continue after; undefined on the last page. */
  readonly nextKey: string | undefined;
}

/** The rows of a page as they are shown; all at once, because some lists look things up for them. */
export type ShowRows<Row, Item> = (rows: readonly Row[]) => readonly Item[] | Promise<readonly Item[]>;

export async function readList<Row, Item>(
  source: ListSource<Row>,
  position: ListPosition,
  show: ShowRows<Row, Item>,
): Promise<ListResult<Item>> {
  const { page, pageSize, after } = position;
  const offset = after === undefined ? (page - 1) * pageSize : 0;
  // One row more than asked for tells whether there is a next page.
  const { rows, resumeAfter } = await readRows(source, { after, offset, limit: pageSize + 1 });
  const shown = rows.slice(0, pageSize);
  const last = shown.at(-1);
  const isEnd = rows.length <= pageSize && resumeAfter === undefined;
  const [items, { total, totalIsExact }] = await Promise.all([
    show(shown),
    isEnd && after === undefined && (rows.length > 0 || offset === 0)
      ? // The page that holds the end of the list has counted it already.
        { total: offset + rows.length, totalIsExact: true }
      : countRows(source),
  ]);
  return {
    items,
    page,
    pageSize,
    total,
    totalIsExact,
    nextKey: rows.length > pageSize && last !== undefined ? source.keyOf(last) : resumeAfter,
  };
}

/** Rows of any list, and where to go on if the page ended before it was full. */
export async function readRows<Row>(source: ListSource<Row>, bounds: PageBounds): Promise<ScannedPage<Row>> {
  return source.scan === undefined
    ? { rows: await source.rows(bounds), resumeAfter: undefined }
    : await source.scan.page(bounds);
}

async function countRows<Row>(source: ListSource<Row>): Promise<{ total: number; totalIsExact: boolean }> {
  const limit = MAX_COUNTED_ROWS + 1;
  const { count, isExact } =
    source.scan === undefined ? { count: await source.count(limit), isExact: true } : await source.scan.count(limit);
  return { total: Math.min(count, MAX_COUNTED_ROWS), totalIsExact: isExact && count <= MAX_COUNTED_ROWS };
}

/** A list that is an array in memory, such as one from the snapshot of the small tables: same pages, same cursors. */
export function listFromArray<Row>(rows: readonly Row[], keyOf: (row: Row) => string): ListSource<Row> {
  return {
    keyOf,
    rows: async ({ after, offset, limit }) => {
      const start = after === undefined ? 0 : rows.findIndex((row) => keyOf(row) === after) + 1;
      // The row of the cursor may be gone; then the list starts at the beginning.
      return rows.slice(start + offset, start + offset + limit);
    },
    count: async (limit) => Math.min(rows.length, limit),
  };
}
