// The link of the start banner: a code behind the `#`, which no server ever sees, exchanged for a session by this page.

import type { ErrorSentence } from '../words/say-error.js';
import type { Role } from './session.js';
import { adoptSession } from './user-session.js';

const PREFIX = '#sign-in=';

export interface LinkOutcome {
  readonly role?: Role;
  /** What the service said, where it refused. */
  readonly refusal?: ErrorSentence;
}

export function hasCode(): boolean {
  return location.hash.startsWith(PREFIX);
}

/** Takes the code out of the address before anything else can read it or bookmark it. */
export function takeCode(): string | undefined {
  const { hash, pathname, search } = location;
  if (!hasCode()) return undefined;
  history.replaceState(null, '', pathname + search);
  return hash.slice(PREFIX.length);
}

function readRefusal(answer: { key?: string; params?: ErrorSentence['params']; detail?: string }, status: number) {
  return { key: answer.key ?? '', params: answer.params ?? {}, text: answer.detail ?? String(status) };
}

export async function signInByCode(code: string): Promise<LinkOutcome> {
  const response = await fetch('/console/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  const answer = await response.json();
  if (!response.ok) return { refusal: readRefusal(answer, response.status) };
  return { role: adoptSession(answer) };
}
