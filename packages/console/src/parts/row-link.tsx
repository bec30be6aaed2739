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
  readonly to: PageOfOne;
  readonly name: string;
  readonly className?: string;
  readonly title?: string;
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

export function RowLink({ to, name, children, ...others }: RowLinkProps): ReactElement {
  const router = useRouter();
  const path = `${to}/${encodeURIComponent(name)}`;
  const rest = () => {
    stopResting();
    resting = setTimeout(() => void router.preloadRoute({ to: path }).catch(() => {}), REST_MS);
  };
  const go = (event: MouseEvent) => {
    if (isForBrowser(event)) return;
    event.preventDefault();
    void router.navigate({ to: path });
  };
  return (
    <a
      href={`${router.basepath}${path}`}
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
