import { startTransition, useEffect, useState } from 'react';

/**
 * Whether what is in sight is on the screen already: the rest is drawn then. Begins anew when it changes as a whole.
 */
export function useDrawn(isChanging = false): boolean {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (isChanging) {
      setShown(false);
      return;
    }
    // The second frame from here is the one behind the first rows.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => startTransition(() => setShown(true)));
    });
    return () => cancelAnimationFrame(frame);
  }, [isChanging]);
  return isShown;
}
