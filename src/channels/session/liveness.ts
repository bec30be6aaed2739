// Whether the peer is still there: after a silence it is asked, and whatever it then says is an answer.

export interface Liveness {
  heard(now: number): void;
  /** Since the peer last said anything. */
  silenceMs(now: number): number;
  /** What is to be done about the silence. */
  judge(now: number): 'nothing' | 'ask' | 'give_up';
}

export function createLiveness(silenceMs: number, responseTimeoutMs: number, start: number): Liveness {
  let heardAt = start;
  let askedAt: number | undefined;
  return {
    heard(now) {
      heardAt = now;
    },
    silenceMs: (now) => now - heardAt,
    judge(now) {
      if (askedAt !== undefined && heardAt >= askedAt) askedAt = undefined;
      if (askedAt !== undefined) return now - askedAt >= responseTimeoutMs ? 'give_up' : 'nothing';
      if (now - heardAt < silenceMs) return 'nothing';
      askedAt = now;
      return 'ask';
    },
  };
}
