// Requests per second of one customer: a token bucket that holds one second's worth.

export interface RateLimiter {
  take(key: string, perSecond: number): RateLimitState | Promise<RateLimitState>;
}

export interface RateLimitState {
  readonly allowed: boolean;
  readonly perSecond: number;
  readonly remaining: number;
}

/** Tokens for one or more requests. */
export interface Draw {
  readonly wanted: number;
  /** Tokens of an earlier grant that were not used. */
  readonly returned: number;
}

export interface Grant {
  /** At most what was wanted, and possibly none. */
  readonly granted: number;
  readonly remaining: number;
  /** Until there is a token again; zero while there is one. */
  readonly waitMs: number;
}

export interface TokenBuckets {
  draw(key: string, perSecond: number, draw: Draw): Grant;
}

/** The part of each limit that is for this machine: 1 where it is the only one. */
export interface MachineShare {
  part: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** `now` must not go backwards. */
export function createTokenBuckets(now: () => number, share: Readonly<MachineShare>): TokenBuckets {
  const buckets = new Map<string, Bucket>();
  return {
    draw(key, limit, { wanted, returned }) {
      const perSecond = limit * share.part;
      const capacity = Math.max(1, perSecond);
      const nowMs = now();
      const bucket = buckets.get(key) ?? { tokens: capacity, filledAtMs: nowMs };
      buckets.set(key, bucket);
      const refill = ((nowMs - bucket.filledAtMs) / 1000) * perSecond;
      bucket.tokens = Math.min(capacity, bucket.tokens + refill + returned);
      bucket.filledAtMs = nowMs;
      const granted = Math.min(wanted, Math.floor(bucket.tokens));
      bucket.tokens -= granted;
      const waitMs = bucket.tokens >= 1 ? 0 : ((1 - bucket.tokens) / perSecond) * 1000;
      return { granted, remaining: Math.floor(bucket.tokens), waitMs };
    },
  };
}

/** For the only process of a machine. */
export function createRateLimiter(buckets: TokenBuckets): RateLimiter {
  const one: Draw = { wanted: 1, returned: 0 };
  return {
    take(key, perSecond) {
      const { granted, remaining } = buckets.draw(key, perSecond, one);
      return { allowed: granted === 1, perSecond, remaining };
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
