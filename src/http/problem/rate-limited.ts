// Every answer 429, with the three headers that say when to try again and what is limited.

import type { ErrorText } from '../../domain/fault/error-text.js';
import { Problem } from './problem.js';

export interface Quota {
  /** Names the policy in `RateLimit` and `RateLimit-Policy`. */
  readonly name: string;
  readonly count: number;
  /** Left out where so many are allowed at the same time. */
  readonly windowSeconds?: number;
}

/** Where admission has answered with the quota of the customer, `RateLimit` and `RateLimit-Policy` stay those: see `sendProblem`. */
export function rateLimited(
  detail: ErrorText,
  { name, count, windowSeconds }: Quota,
  retryAfterSeconds: number,
): Problem {
  const window = windowSeconds === undefined ? '' : `;w=${windowSeconds}`;
  return new Problem('rate_limited', detail, {
    headers: {
      'retry-after': String(retryAfterSeconds),
      'ratelimit-policy': `"${name}";q=${count}${window}`,
      ratelimit: `"${name}";r=0;t=${retryAfterSeconds}`,
    },
  });
}
