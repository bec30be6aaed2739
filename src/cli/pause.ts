import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves early, and does not reject, when the signal aborts: the loop looks for itself. */
export async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, undefined, { signal }).catch(() => undefined);
}
