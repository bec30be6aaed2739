// Detects a dead peer: after a silence a keepalive is due, and anything received counts as its answer.

export interface Liveness {
  /** Something was received. */
  noteReceived(now: number): void;
  /** Since something was last received. */
  silenceMs(now: number): number;
  /** `dead`: a keepalive got no answer in time. */
  check(now: number): 'alive' | 'keepalive_due' | 'dead';
}

export function createLiveness(keepaliveMs: number, responseTimeoutMs: number, start: number): Liveness {
  let receivedAt = start;
  let keepaliveAt: number | undefined;
  return {
    noteReceived(now) {
      receivedAt = now;
    },
    silenceMs: (now) => now - receivedAt,
    check(now) {
      if (keepaliveAt !== undefined && receivedAt >= keepaliveAt) keepaliveAt = undefined;
      if (keepaliveAt !== undefined) return now - keepaliveAt >= responseTimeoutMs ? 'dead' : 'alive';
      if (now - receivedAt < keepaliveMs) return 'alive';
      keepaliveAt = now;
      return 'keepalive_due';
    },
  };
}
