import { setTimeout as sleep } from 'node:timers/promises';

type Look<T> = () => Promise<T | undefined | false> | T | undefined | false;

/** Shorter than the time of a test, so that one that waits in vain says for what. */
const LIMIT_MS = 60_000;

/** Waits until `look` finds something. What it waited for in vain is named: by `what`, or else by the text of `look`. */
export function until<T>(look: Look<T>): Promise<T>;
export function until<T>(what: string | (() => string), look: Look<T>, limitMs?: number): Promise<T>;
export async function until<T>(
  first: string | (() => string) | Look<T>,
  second?: Look<T>,
  limitMs = LIMIT_MS,
): Promise<T> {
  const look = second ?? (first as Look<T>);
  const deadline = performance.now() + limitMs;
  for (let pauseMs = 2; ; pauseMs = Math.min(50, pauseMs * 1.5)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`in vain: ${describe(first, second !== undefined)}`);
    await sleep(pauseMs);
  }
}

function describe(first: string | (() => unknown), isName: boolean): string {
  if (typeof first === 'string') return first;
  return isName ? String(first()) : first.toString();
}
