/** Lets so many through in any second, with a tenth of a second of burst; 0 lets everything through. */
export function createRateLimit(perSecond: number, clock: () => number): () => boolean {
  if (perSecond === 0) return () => true;
  const burst = Math.max(1, perSecond / 10);
  let tokens = burst;
  let filledAt = clock();
  return () => {
    const now = clock();
    tokens = Math.min(burst, tokens + ((now - filledAt) * perSecond) / 1000);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
