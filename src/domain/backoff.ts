// Pauses between attempts that fail.

export interface Backoff {
  /** After the first failure. */
  readonly firstMs: number;
  /** However many there are. */
  readonly mostMs: number;
}

/**
 * How long to pause after so many consecutive failures: twice as long after each. With `random`, half of it is random, so that those who
 * failed together do not retry together.
 */
export function backoffMs(failures: number, { firstMs, mostMs }: Backoff, random?: () => number): number {
  const fullMs = Math.min(mostMs, firstMs * 2 ** Math.max(0, failures - 1));
  return random === undefined ? fullMs : Math.round(fullMs * (0.5 + random() / 2));
}
