import { type CsvOptions, type FileOptions, type ListingFile, openListingFile } from './listing-file.js';
import {
  type Answer,
  type Call,
  type CallOptions,
  type QueryValue,
  requireField,
  type Transport,
} from './transport.js';
import type { Page } from './wire/wire.js';

/** Which page of a list: counted from 1 (the first 10,000 items), or from the cursor of the page before (any depth). */
export type PagePosition = { readonly page?: number; readonly cursor?: never } | { readonly cursor: string };

/**
 * A list that has not been asked for yet. `for await` walks all of it, newest first, one request for each page, and
 * fetches the next page only when it is wanted.
 */
export interface Listing<Item> extends AsyncIterable<Item> {
  /** One page with its totals and its cursor; the first unless told otherwise. */
  page(position?: PagePosition): Promise<Page<Item>>;
  pages(): AsyncIterable<Page<Item>>;
}

/** A list that the service also hands out as a file: all of it, oldest first, as it was at one moment. */
export interface FileListing<Item> extends Listing<Item> {
  /** With a head of column names; the last column is the `cursor` of the row. */
  csv(options?: CsvOptions): ListingFile;
  /** One JSON object a line: the item and its `cursor`. */
  ndjson(options?: FileOptions): ListingFile;
}

/** The page size that a walk uses, the largest there is: fewest requests. */
const walkPageSize = 100;

export function createListing<Item>(
  transport: Transport,
  path: string,
  filters: Readonly<Record<string, QueryValue>>,
  pageSize: number | undefined,
  options: CallOptions,
): Listing<Item> {
  async function fetchPage(query: Record<string, QueryValue>): Promise<Page<Item>> {
    const call: Call = { ...options, method: 'GET', path, query: { ...filters, ...query } };
    const answer: Answer = await transport.call(call, 'repeatable');
    return requireField<Page<Item>>(answer.value, 'items');
  }

  async function* walkPages(): AsyncGenerator<Page<Item>> {
    let cursor: string | undefined;
    do {
      const page: Page<Item> = await fetchPage({ page_size: pageSize ?? walkPageSize, cursor });
      yield page;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  return {
    page: (position = {}) => fetchPage({ page_size: pageSize, ...position }),
    pages: walkPages,
    async *[Symbol.asyncIterator]() {
      for await (const page of walkPages()) yield* page.items;
    },
  };
}

export function createFileListing<Item>(
  transport: Transport,
  path: string,
  filters: Readonly<Record<string, QueryValue>>,
  pageSize: number | undefined,
  options: CallOptions,
): FileListing<Item> {
  const call: Call = { ...options, method: 'GET', path, query: filters };
  return {
    ...createListing<Item>(transport, path, filters, pageSize, options),
    csv: (chosen = {}) => openListingFile(transport, call, 'csv', chosen),
    ndjson: (chosen = {}) => openListingFile(transport, call, 'ndjson', chosen),
  };
}
