// What was filled in stays while the person looks at other pages, until it is sent. In memory alone: lists of numbers have no place
// in the storage of a browser.

import { useState } from 'react';
import { type CustomerSession, useSessions } from '../../session/session.js';

const drafts = new WeakMap<CustomerSession, Map<string, unknown>>();

function draftOf(session: CustomerSession | undefined): Map<string, unknown> {
  const known = session && drafts.get(session);
  if (known !== undefined) return known;
  const draft = new Map<string, unknown>();
  if (session !== undefined) drafts.set(session, draft);
  return draft;
}

/** As `useState`, with the value that the field had when the page was left. */
export function useKept<Value>(name: string, initial: () => Value): [Value, (value: Value) => void] {
  const { customer } = useSessions();
  const [value, setValue] = useState(() => {
    const draft = draftOf(customer);
    return draft.has(name) ? (draft.get(name) as Value) : initial();
  });
  const keep = (next: Value) => {
    draftOf(customer).set(name, next);
    setValue(next);
  };
  return [value, keep];
}

/** It was sent: the next visit begins anew. */
export function forgetDraft(session: CustomerSession): void {
  drafts.delete(session);
}
