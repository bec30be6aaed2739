// How the viewer likes each list: which columns, and filters under names of their own. Kept in local storage of this browser.

import { createStoredState } from './stored-state.js';

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

const NONE: KeptList = {};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isSaved(value: unknown): value is SavedFilter {
  return isObject(value) && typeof value.name === 'string' && isObject(value.values);
}

function readLists(stored: unknown): KeptLists {
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
}

const lists = createStoredState<KeptLists>('postrider.lists', {}, readLists);

export function changeList(list: string, change: KeptList): void {
  lists.change({ ...lists.current(), [list]: { ...lists.current()[list], ...change } });
}

export function useKeptList(list: string): KeptList {
  return lists.use((kept) => kept[list] ?? NONE);
}
