// A link of which a page has many. The router's own link looks again at every change of the address whether it leads to where
// one is, each for itself: a list of rows then works before the page that was asked for is drawn. This one only knows its way.

import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactElement, ReactNode } from 'react';

/** The page of one thing, by its name in the address. */
export type PageOfOne =
  | '/tasks'
  | '/numbers'
  | '/operator/tasks'
  | '/operator/numbers'
  | '/operator/customers'
  | '/operator/channels';

interface RowLinkProps {
  readonly to: PageOfOne | '/ledger' | '/receipts' | '/replies';
  /** What the page is about, where that is a part of its address. */
  readonly name?: string;
  /** A page below that one. */
  readonly below?: 'failures';
  readonly search?: Readonly<Record<string, string | undefined>>;
  readonly className?: string | undefined;
  readonly title?: string;
  readonly tabIndex?: -1;
  readonly 'aria-current'?: 'true' | undefined;
  readonly children: ReactNode;
}

/** Where the pointer only passes, nothing is read. Long enough for that, and shorter than it takes to press. */
const REST_MS = 50;
let resting: ReturnType<typeof setTimeout> | undefined;

function stopResting(): void {
  clearTimeout(resting);
}

/** What the browser is left to do: another tab, a window, a file. */
function isForBrowser(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}

export function RowLink({ to, name, below, search, children, ...others }: RowLinkProps): ReactElement {
  const router = useRouter();
  const names = [name, below].filter((one) => one !== undefined);
  const place = { to: [to, ...names.map(encodeURIComponent)].join('/'), search: search ?? {} };
  const rest = () => {
    stopResting();
    resting = setTimeout(() => void router.preloadRoute(place).catch(() => {}), REST_MS);
  };
  const go = (event: MouseEvent) => {
    if (isForBrowser(event)) return;
    event.preventDefault();
    // Another choice on the same page leaves the reader where they are.
    void router.navigate({ ...place, resetScroll: router.state.location.pathname !== place.to });
  };
  return (
    <a
      href={`${router.basepath}${place.to}${search === undefined ? '' : router.options.stringifySearch(search)}`}
      onClick={go}
      onMouseEnter={rest}
      onFocus={rest}
      onMouseLeave={stopResting}
      onBlur={stopResting}
      {...others}
    >
      {children}
    </a>
  );
}
