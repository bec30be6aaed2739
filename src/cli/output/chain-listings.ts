import type { Listing, Page } from '@postrider/client';

/** Several lists, one behind the other, as one. */
export function chainListings<Item>(listings: readonly Listing<Item>[]): Pick<Listing<Item>, 'pages'> {
  async function* walk(): AsyncGenerator<Page<Item>> {
    let before = 0;
    for (const [index, listing] of listings.entries()) {
      const isLast = index === listings.length - 1;
      let ofThisList = 0;
      for await (const page of listing.pages()) {
        ofThisList = page.total;
        yield {
          ...page,
          total: before + page.total,
          // The size of the following lists is not known yet.
          total_is_exact: page.total_is_exact && isLast,
          next_cursor: page.next_cursor ?? (isLast ? null : 'the next list'),
        };
      }
      before += ofThisList;
    }
  }
  return { pages: walk };
}
