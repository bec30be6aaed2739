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

export interface ListWindow {
  readonly after: string | undefined;
  readonly offset: number;
  readonly limit: number;
  /** The other way round, for exports: `after` is then followed by what is newer. Lists without a time keep their order. */
  readonly oldestFirst?: boolean;
}

/** One list, already narrowed by its filters. */
export interface ListSource<Row> {
  /** Rows in list order, from after `after` where it is given, without the first `offset`. */
  rows(window: ListWindow): Promise<readonly Row[]>;
  /** How many rows the filters match, counting no further than `limit`. The position plays no part. */
  count(limit: number): Promise<number>;
  /** What orders the rows and is unique among them. */
  keyOf(row: Row): string;
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
  const rows = await source.rows({ after, offset, limit: pageSize + 1 });
  const shown = rows.slice(0, pageSize);
  const last = shown.at(-1);
  const [items, { total, totalIsExact }] = await Promise.all([
    show(shown),
    countRows(source, position, offset, rows.length),
  ]);
  return {
    items,
    page,
    pageSize,
    total,
    totalIsExact,
    nextKey: rows.length > pageSize && last !== undefined ? source.keyOf(last) : undefined,
  };
}

async function countRows<Row>(
  source: ListSource<Row>,
  { pageSize, after }: ListPosition,
  offset: number,
  found: number,
): Promise<{ total: number; totalIsExact: boolean }> {
  // The page that holds the end of the list has counted it already.
  const sawTheEnd = after === undefined && found <= pageSize && (found > 0 || offset === 0);
  if (sawTheEnd) return { total: offset + found, totalIsExact: true };
  const counted = await source.count(MAX_COUNTED_ROWS + 1);
  return { total: Math.min(counted, MAX_COUNTED_ROWS), totalIsExact: counted <= MAX_COUNTED_ROWS };
}

/** A list that is an array in memory, such as one from the snapshot of the small tables: same pages, same cursors. */
export function listFromArray<Row>(rows: readonly Row[], keyOf: (row: Row) => string): ListSource<Row> {
  return {
    keyOf,
    rows: async ({ after, offset, limit }) => {
      const start = after === undefined ? 0 : rows.findIndex((row) => keyOf(row) === after) + 1;
      // The row the cursor points at may be gone; the list starts anew rather than ending without a word.
      return rows.slice(start + offset, start + offset + limit);
    },
    count: async (limit) => Math.min(rows.length, limit),
  };
}
