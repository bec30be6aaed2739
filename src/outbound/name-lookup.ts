// Looks up host names for webhooks and HTTP upstreams: concurrent callers share a query, answers are cached for a short time, and a query ends
// when its last caller leaves. Callers are bounded per customer (deliveries of the pusher, checks of the API), hence so are queries.

import type { LookupAddress } from 'node:dns';

/** All addresses of a name. Rejects when the signal is aborted. */
export type ResolveName = (host: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>;

interface LookupLimits {
  readonly timeoutMs: number;
  readonly ttlMs: number;
  readonly maxCached: number;
}

const LIMITS: LookupLimits = { timeoutMs: 5000, ttlMs: 30_000, maxCached: 10_000 };

export class NameLookupError extends Error {
  override readonly name = 'NameLookupError';
  readonly code = 'EAI_AGAIN';
}

interface Query {
  readonly found: Promise<readonly LookupAddress[]>;
  readonly canceller: AbortController;
  callers: number;
}

export function createNameLookup(resolve: ResolveName, limits: Partial<LookupLimits> = {}): ResolveName {
  const { timeoutMs, ttlMs, maxCached } = { ...LIMITS, ...limits };
  const queries = new Map<string, Query>();
  const cache = new Map<string, { readonly found: readonly LookupAddress[]; readonly untilMs: number }>();

  const remember = (host: string, found: readonly LookupAddress[]): void => {
    if (cache.size >= maxCached) cache.clear();
    cache.set(host, { found, untilMs: performance.now() + ttlMs });
  };

  const startQuery = (host: string): Query => {
    const canceller = new AbortController();
    const timer = setTimeout(() => canceller.abort(), timeoutMs);
    const found = untilAborted(resolve(host, canceller.signal), canceller.signal).finally(() => {
      clearTimeout(timer);
      if (queries.get(host) === query) queries.delete(host);
    });
    found.then((addresses) => remember(host, addresses)).catch(() => undefined);
    const query: Query = { found, canceller, callers: 0 };
    queries.set(host, query);
    return query;
  };

  return async (host, signal) => {
    signal.throwIfAborted();
    const cached = cache.get(host);
    if (cached !== undefined && performance.now() < cached.untilMs) return cached.found;
    const query = queries.get(host) ?? startQuery(host);
    query.callers += 1;
    try {
      return await untilAborted(query.found, signal);
    } finally {
      query.callers -= 1;
      if (query.callers === 0) query.canceller.abort();
    }
  };
}

function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new NameLookupError('the name was not looked up in time'));
    signal.addEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
