// Requests per second of one customer on this node: a token bucket that holds one second's worth.

export interface RateLimiter {
  take(key: string, perSecond: number): RateLimitState;
}

export interface RateLimitState {
  readonly allowed: boolean;
  readonly perSecond: number;
  readonly remaining: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** `now` must not go backwards. */
export function createRateLimiter(now: () => number): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take(key, perSecond) {
      const nowMs = now();
      const bucket = buckets.get(key) ?? { tokens: perSecond, filledAtMs: nowMs };
      buckets.set(key, bucket);
      const refill = ((nowMs - bucket.filledAtMs) / 1000) * perSecond;
      bucket.tokens = Math.min(perSecond, bucket.tokens + refill);
      bucket.filledAtMs = nowMs;
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      return { allowed, perSecond, remaining: Math.floor(bucket.tokens) };
    },
  };
}

/** The fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers): a quota of requests in a window of one second. */
export function rateLimitHeaders({ perSecond, remaining }: RateLimitState): Record<string, string> {
  return {
    'ratelimit-policy': `"default";q=${perSecond};w=1`,
    ratelimit: `"default";r=${remaining};t=1`,
  };
}
