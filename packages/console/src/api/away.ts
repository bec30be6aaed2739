// Whether the service answers. If not, the console shows that, keeps its data, and polls until the service is back.

import { PostriderConnectionError, PostriderError } from '@postrider/client';
import { useSyncExternalStore } from 'react';

let isAway = false;
const listeners = new Set<() => void>();

export function setAway(away: boolean): void {
  if (isAway === away) return;
  isAway = away;
  for (const listener of listeners) listener();
}

export function useAway(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isAway,
  );
}

/** A fault of the service in one call does not mean that it is away: shown so, the notice would flicker with the other calls. */
export function saysAway(error: unknown): boolean {
  if (error instanceof PostriderConnectionError) return true;
  return error instanceof PostriderError && error.status >= 500 && (error.status === 503 || !error.fromService);
}

/** Resolves when the service says that it is ready. */
export async function waitUntilBack(signal: AbortSignal): Promise<void> {
  for (;;) {
    const isReady = await fetch('/readyz', { signal }).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady || signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
