import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `look` finds something; what was waited for in vain is named. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  limitMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (let pauseMs = 2; ; pauseMs = Math.min(50, pauseMs * 1.5)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`in vain: ${what}`);
    await sleep(pauseMs);
  }
}
