import { startTransition, useEffect, useState } from 'react';

/** How many things are drawn: those in sight first, and all of them once these are on the screen. */
export function useDrawn(inSight: number, all: number): number {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    // The frame with the first of them is behind the next one.
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setShown(true)));
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isShown ? all : inSight;
}
