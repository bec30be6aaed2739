import { type RefObject, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Rows beyond those in sight, once these are drawn: so far one scrolls without a gap. */
const BEYOND = 16;

interface Table {
  readonly body: RefObject<HTMLElement | null>;
  readonly count: number;
  /** Of each, in pixels. */
  readonly rowHeight: number;
  /** Its first rows are on the screen: before, the browser would have to lay them out twice to tell where they are. */
  readonly isDrawn: boolean;
  /** It begins no further up on the page, in pixels; where it does is looked up then. */
  readonly leastTop: number;
}

/** From which row to which, the last not among them, a table exists in the page. All are equally high, so it follows from where it begins. */
export function useRowsInSight({
  body,
  count,
  rowHeight,
  isDrawn,
  leastTop,
}: Table): readonly [from: number, until: number] {
  const [sight, setSight] = useState(() => ({
    from: 0,
    until: Math.ceil((window.innerHeight - leastTop) / rowHeight),
  }));
  useEffect(() => {
    if (!isDrawn) return;
    const look = () => {
      if (body.current === null) return;
      const above = -body.current.getBoundingClientRect().top;
      const from = Math.floor(above / rowHeight);
      const until = Math.ceil((above + window.innerHeight) / rowHeight);
      setSight((before) => (before.from === from && before.until === until ? before : { from, until }));
    };
    // In the frame that is scrolled, not in the one behind it.
    const follow = () => flushSync(look);
    look();
    window.addEventListener('scroll', follow, { passive: true });
    window.addEventListener('resize', follow);
    return () => {
      window.removeEventListener('scroll', follow);
      window.removeEventListener('resize', follow);
    };
  }, [body, rowHeight, isDrawn]);
  const beyond = isDrawn ? BEYOND : 0;
  const within = (index: number) => Math.min(Math.max(index, 0), count);
  return [within(sight.from - beyond), within(sight.until + beyond)];
}
