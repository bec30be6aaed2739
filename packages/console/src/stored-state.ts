// What the console remembers in local storage of this browser, and draws anew when it changes.

import { useSyncExternalStore } from 'react';

export interface StoredState<State> {
  current(): State;
  change(next: State): void;
  /** What is picked must be the same object while the state is. */
  use<Picked>(pick: (state: State) => Picked): Picked;
}

/** `read` gets what is stored, which may be anything; `none` is for storage that is off or holds something else. */
export function createStoredState<State>(
  key: string,
  none: State,
  read: (stored: unknown) => State,
): StoredState<State> {
  const readStored = (): State => {
    try {
      return read(JSON.parse(localStorage.getItem(key) ?? '{}'));
    } catch {
      return none;
    }
  };
  let current = readStored();
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    current: () => current,
    change(next) {
      current = next;
      try {
        localStorage.setItem(key, JSON.stringify(current));
      } catch {
        // It holds for this page then.
      }
      for (const listener of listeners) listener();
    },
    use: (pick) => useSyncExternalStore(subscribe, () => pick(current)),
  };
}
