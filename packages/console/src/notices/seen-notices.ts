// Which notices were seen at the last visit: their ids, of each side, in local storage. An id says what something is like, so that
// what has changed since is new by itself.

import { useSyncExternalStore } from 'react';
import type { Role } from '../session/session.js';

const STORAGE_KEY = 'postrider.seen';
/** More than there are at once; the oldest go. */
const MOST = 500;

type Seen = Readonly<Partial<Record<Role, readonly string[]>>>;
const NONE: readonly string[] = [];

function readStored(): Seen {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    const lists = Object.entries(stored).filter(([, ids]) => Array.isArray(ids));
    return Object.fromEntries(lists.map(([role, ids]) => [role, ids.filter((id: unknown) => typeof id === 'string')]));
  } catch {
    // Storage is off or holds something else: then all is new.
    return {};
  }
}

let current = readStored();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What was seen before stays so while it is there: it may go and come back. */
export function markSeen(role: Role, ids: readonly string[]): void {
  current = { ...current, [role]: [...new Set([...ids, ...(current[role] ?? NONE)])].slice(0, MOST) };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
  } catch {
    // It holds for this page then.
  }
  for (const listener of listeners) listener();
}

export function useSeen(role: Role): readonly string[] {
  return useSyncExternalStore(subscribe, () => current[role] ?? NONE);
}
