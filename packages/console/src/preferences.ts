// What the viewer prefers: language, light or dark, whose clock. Kept in local storage; nothing secret is ever among it.

import { createContext, useContext, useSyncExternalStore } from 'react';

export type Language = 'en' | 'zh';
export type Zone = 'local' | 'utc';
export type Scheme = 'auto' | 'light' | 'dark';

export interface Preferences {
  readonly language: Language;
  readonly zone: Zone;
  readonly scheme: Scheme;
  /** A send that costs more is confirmed first, however few numbers it has; a decimal amount. */
  readonly confirmOver: string;
}

const STORAGE_KEY = 'postrider.preferences';

function isOneOf<Value extends string>(value: unknown, values: readonly Value[]): value is Value {
  return values.some((one) => one === value);
}

/** Zero or more, as amounts are written. */
export function isAmount(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,12}(\.\d{1,6})?$/.test(value);
}

function readStored(): Partial<Record<keyof Preferences, unknown>> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    return typeof stored === 'object' && stored !== null ? stored : {};
  } catch {
    // Storage is off or holds something else: the defaults do.
    return {};
  }
}

function readPreferences(): Preferences {
  const { language, zone, scheme, confirmOver } = readStored();
  return {
    language: isOneOf(language, ['en', 'zh']) ? language : navigator.language.startsWith('zh') ? 'zh' : 'en',
    zone: isOneOf(zone, ['local', 'utc']) ? zone : 'local',
    scheme: isOneOf(scheme, ['auto', 'light', 'dark']) ? scheme : 'auto',
    confirmOver: isAmount(confirmOver) ? confirmOver : '1',
  };
}

let current = readPreferences();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function changePreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
  } catch {
    // They hold for this page then.
  }
  for (const listener of listeners) listener();
}

/** Outside of what is drawn. */
export function currentPreferences(): Preferences {
  return current;
}

/** For the whole page, which hands them on to its parts. */
export function useKeptPreferences(): Preferences {
  return useSyncExternalStore(subscribe, currentPreferences);
}

export const PreferencesContext = createContext(current);

/** As the page has them. There are hundreds of parts that ask, and each that listened for itself would have to be signed on and off. */
export function usePreferences(): Preferences {
  return useContext(PreferencesContext);
}
