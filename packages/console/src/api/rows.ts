// Lists of any length, newest first, a page at a time by cursor.

import type { Listing } from '@postrider/client';
import { hashKey, infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';

export interface Rows<Row> {
  readonly rows: readonly Row[];
  readonly total: number | undefined;
  readonly isTotalExact: boolean;
  readonly error: Error | null;
  readonly isLoading: boolean;
  /** These are still the rows of the choice before. */
  readonly isChanging: boolean;
  readonly hasMore: boolean;
  loadMore(): void;
}

export interface RowsOptions<Row> {
  /** Which list. */
  readonly key: readonly unknown[];
  /** What narrows it down. The rows of one choice stay until those of the next are there. */
  readonly filters?: unknown;
  readonly list: (signal: AbortSignal) => Pick<Listing<Row>, 'page'>;
  /** Whether new rows are looked for, and how often. */
  readonly pollMs?: number | false;
  readonly isEnabled?: boolean;
}

/** What is read, and under which name it is kept. */
export type RowsQuery<Row> = Pick<RowsOptions<Row>, 'key' | 'filters' | 'list'>;

/** As many as a call answers: a list of ten thousand is read in a hundred calls, a few rows ahead of the eye. */
export const PAGE_SIZE = 100;

/** Scrolled further than this, the user reads and does not watch for new rows. */
const READING_PX = 160;
/** A list is up to date soon after the user scrolls back to its top. */
const READING_POLL_MS = 60_000;

/** Noted when it is known: to ask for it after a change has the browser lay out the whole page at once. */
let scrolledPx = 0;
addEventListener(
  'scroll',
  () => {
    scrolledPx = window.scrollY;
  },
  { passive: true },
);

function pollUnlessReading(pollMs: number): number {
  return scrolledPx > READING_PX ? READING_POLL_MS : pollMs;
}

/** One query for all who ask for it: what was begun on the way to a page is what the page shows. */
export function rowsQuery<Row>({ key, filters, list }: RowsQuery<Row>) {
  return infiniteQueryOptions({
    queryKey: [...key, filters],
    queryFn: ({ pageParam, signal }) => list(signal).page(pageParam === undefined ? {} : { cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

/** Rows that are no longer polled are read once more: the last poll may be older than the end of what they show. */
function useLastLook(isPolled: boolean, refetch: () => unknown): void {
  const wasPolled = useRef(isPolled);
  useEffect(() => {
    if (wasPolled.current && !isPolled) refetch();
    wasPolled.current = isPolled;
  }, [isPolled, refetch]);
}

export function useRows<Row>({ key, filters, list, pollMs = 3_000, isEnabled = true }: RowsOptions<Row>): Rows<Row> {
  const query = useInfiniteQuery({
    ...rowsQuery({ key, filters, list }),
    placeholderData: (before, queryBefore) =>
      hashKey(queryBefore?.queryKey.slice(0, -1) ?? []) === hashKey(key) ? before : undefined,
    // A list of many pages is not refetched when the window gets the focus.
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 1) === 1,
    enabled: isEnabled,
    // After scrolling down, rows must not move.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : pollMs && pollUnlessReading(pollMs)),
  });
  useLastLook(pollMs !== false, query.refetch);
  const { data, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const last = data?.pages.at(-1);
  return {
    rows,
    total: last?.total,
    isTotalExact: last?.total_is_exact ?? true,
    error: data === undefined ? error : null,
    isLoading: isPending,
    isChanging: isPlaceholderData,
    hasMore: hasNextPage,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage && !isPlaceholderData) void fetchNextPage();
    },
  };
}

/** All rows of a list, at most so many: for what is done with all of them. */
export async function readAllRows<Row>(
  { list }: Pick<RowsQuery<Row>, 'list'>,
  most: number,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(signal).page(cursor === undefined ? {} : { cursor });
    rows.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && rows.length < most);
  return rows.slice(0, most);
}
