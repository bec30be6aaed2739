/** Resolves early, and does not reject, when the signal aborts: the loop looks for itself. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
