// Counts by key, in maps that hold no more keys than they need.

/** Adds to the count of a key and returns it. A count of zero is removed. */
export function addTo<Key>(counts: Map<Key, number>, key: Key, change: number): number {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
  return count;
}

/** Removes what was set first while there are too many. A key that is set again keeps its place, unless it is deleted before. */
export function forgetOldest<Key>(kept: Map<Key, unknown> | Set<Key>, most: number): void {
  if (kept.size <= most) return;
  for (const key of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(key);
  }
}
