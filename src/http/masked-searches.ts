// What is masked of a number is four digits: a caller that may search without end finds them by trying all. So a masked caller searches
// for a bounded count of numbers in an hour. One that it searched for already costs nothing, so that its records can be read on.

import { errorText } from '../domain/fault/error-text.js';
import { rateLimited } from './problem/rate-limited.js';

export interface MaskedSearches {
  /** Throws once the caller has searched for too many numbers. */
  note(actor: string, phone: string): void;
}

export const MAX_NUMBERS = 100;
const PERIOD_MS = 60 * 60_000;

interface Searcher {
  readonly sinceMs: number;
  readonly phones: Set<string>;
}

/** `now` must not go backwards. */
export function createMaskedSearches(now: () => number): MaskedSearches {
  /** Oldest first. */
  const searchers = new Map<string, Searcher>();

  const forgetOld = (nowMs: number): void => {
    for (const [actor, { sinceMs }] of searchers) {
      if (nowMs - sinceMs < PERIOD_MS) return;
      searchers.delete(actor);
    }
  };

  return {
    note(actor, phone) {
      const nowMs = now();
      forgetOld(nowMs);
      const searcher = searchers.get(actor) ?? { sinceMs: nowMs, phones: new Set() };
      searchers.set(actor, searcher);
      if (searcher.phones.has(phone)) return;
      if (searcher.phones.size >= MAX_NUMBERS) {
        const waitMs = searcher.sinceMs + PERIOD_MS - nowMs;
        const quota = { name: 'masked searches', count: MAX_NUMBERS, windowSeconds: PERIOD_MS / 1000 };
        throw rateLimited(errorText('masked_searches', { max: MAX_NUMBERS }), quota, Math.ceil(waitMs / 1000));
      }
      searcher.phones.add(phone);
    },
  };
}
