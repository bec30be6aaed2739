// Checks timeouts at a fixed interval.
import { setImmediate as afterReads } from 'node:timers';

/** After this many delayed sweeps in a row, timeouts are checked in any case. */
const MAX_DELAYED_SWEEPS = 8;

/**
 * Calls `check` every `intervalMs`. After a stall of the event loop, answers wait unread in the sockets: the sweep is skipped, so
 * that they are read before they time out. Returns a function that stops it.
 */
export function startSweepTimer(intervalMs: number, clock: () => number, check: (now: number) => void): () => void {
  let sweptAt = clock();
  let delayed = 0;
  let timer = setTimeout(sweep, intervalMs);

  function sweep(): void {
    const lateMs = clock() - sweptAt - intervalMs;
    sweptAt = clock();
    timer = setTimeout(sweep, intervalMs);
    delayed = lateMs > intervalMs * 2 ? delayed + 1 : 0;
    if (delayed > 0 && delayed <= MAX_DELAYED_SWEEPS) return;
    afterReads(() => check(clock()));
  }

  return () => clearTimeout(timer);
}
