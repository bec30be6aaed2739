// Lists of any length, newest first, a page at a time by cursor.

import type { Listing } from '@postrider/client';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

export interface Rows<Row> {
  readonly rows: readonly Row[];
  readonly total: number | undefined;
  readonly isTotalExact: boolean;
  readonly error: Error | null;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  loadMore(): void;
}

export interface RowsOptions<Row> {
  readonly key: readonly unknown[];
  readonly list: (signal: AbortSignal) => Pick<Listing<Row>, 'page'>;
  /** Whether new rows are looked for, and how often. */
  readonly pollMs?: number | false;
  readonly isEnabled?: boolean;
}

/** As many as a call answers: a list of ten thousand is read in a hundred calls, a few rows ahead of the eye. */
export const PAGE_SIZE = 100;

/** How far down the page somebody reads rather than watches. */
const READING_PX = 160;
/** So that a list is up to date soon after somebody has come back to its top. */
const READING_POLL_MS = 60_000;

function pollUnlessReading(pollMs: number): number {
  return window.scrollY > READING_PX ? READING_POLL_MS : pollMs;
}

/** One query for all who ask for it: what was begun on the way to a page is what the page shows. */
export function rowsQuery<Row>({ key, list }: Pick<RowsOptions<Row>, 'key' | 'list'>) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => list(signal).page(pageParam === undefined ? {} : { cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

export function useRows<Row>({ key, list, pollMs = 3_000, isEnabled = true }: RowsOptions<Row>): Rows<Row> {
  const query = useInfiniteQuery({
    ...rowsQuery({ key, list }),
    // A list that was read far down is not read again page by page because somebody has looked at another window.
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 1) === 1,
    enabled: isEnabled,
    // Whoever has scrolled down reads: rows that move under the eye would be in the way.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : pollMs && pollUnlessReading(pollMs)),
  });
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const last = data?.pages.at(-1);
  return {
    rows,
    total: last?.total,
    isTotalExact: last?.total_is_exact ?? true,
    error: data === undefined ? error : null,
    isLoading: isPending,
    hasMore: hasNextPage,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
  };
}
