import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves early, and does not reject, when the signal aborts: the caller's loop checks the signal. */
export async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, undefined, { signal }).catch(() => undefined);
}
