/** What a browser that cannot tell when it is idle waits. */
const IDLE_MS = 1_000;

/** Runs once the browser has nothing better to do. Returns what calls it off. */
export function whenIdle(run: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(run, { timeout: 5 * IDLE_MS });
    return () => cancelIdleCallback(handle);
  }
  const timer = setTimeout(run, IDLE_MS);
  return () => clearTimeout(timer);
}
