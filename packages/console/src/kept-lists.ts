// How the viewer likes each list: which columns, and filters under names of their own. Kept in local storage of this browser.

import { useSyncExternalStore } from 'react';

export interface SavedFilter {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

interface KeptList {
  /** Those that differ from how the list comes. */
  readonly columns?: Readonly<Record<string, boolean>>;
  readonly saved?: readonly SavedFilter[];
}

type KeptLists = Readonly<Record<string, KeptList>>;

const STORAGE_KEY = 'postrider.lists';
const NONE: KeptList = {};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isSaved(value: unknown): value is SavedFilter {
  return isObject(value) && typeof value.name === 'string' && isObject(value.values);
}

function readStored(): KeptLists {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    if (!isObject(stored)) return {};
    const lists = Object.entries(stored).filter((entry): entry is [string, Record<string, unknown>] =>
      isObject(entry[1]),
    );
    return Object.fromEntries(
      lists.map(([list, { columns, saved }]) => [
        list,
        {
          columns: isObject(columns) ? (columns as Record<string, boolean>) : {},
          saved: Array.isArray(saved) ? saved.filter(isSaved) : [],
        },
      ]),
    );
  } catch {
    // Storage is off or holds something else: lists are as they come.
    return {};
  }
}

let current = readStored();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function changeList(list: string, change: KeptList): void {
  current = { ...current, [list]: { ...current[list], ...change } };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
  } catch {
    // It holds for this page then.
  }
  for (const listener of listeners) listener();
}

export function useKeptList(list: string): KeptList {
  return useSyncExternalStore(subscribe, () => current[list] ?? NONE);
}
