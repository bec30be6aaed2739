// Which notices were seen at the last visit: their ids, of each side, in local storage. An id says what something is like, so that
// what has changed since is new again.

import type { Role } from '../session/session.js';
import { createStoredState } from '../stored-state.js';

/** More than there are at once; the oldest go. */
const MOST = 500;

type Seen = Readonly<Partial<Record<Role, readonly string[]>>>;
const NONE: readonly string[] = [];

function readSeen(stored: unknown): Seen {
  if (typeof stored !== 'object' || stored === null) return {};
  const lists = Object.entries(stored).filter(([, ids]) => Array.isArray(ids));
  return Object.fromEntries(lists.map(([role, ids]) => [role, ids.filter((id: unknown) => typeof id === 'string')]));
}

const seen = createStoredState<Seen>('postrider.seen', {}, readSeen);

/** What was seen before stays so while it is there: it may go and come back. */
export function markSeen(role: Role, ids: readonly string[]): void {
  const before = seen.current();
  seen.change({ ...before, [role]: [...new Set([...ids, ...(before[role] ?? NONE)])].slice(0, MOST) });
}

export function useSeen(role: Role): readonly string[] {
  return seen.use((ids) => ids[role] ?? NONE);
}
