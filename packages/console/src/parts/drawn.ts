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
    // The frame with the first of them is behind the next one.
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setShown(true)));
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [isChanging]);
  return isShown;
}
