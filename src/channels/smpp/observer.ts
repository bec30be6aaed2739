// What a channel tells whoever counts. Every call is on the hot path: an observer adds up and returns.
import type { Feedback, SubmitOutcome } from '../channel.js';

export interface SmppObserver {
  /** Sessions that are bound now, receivers included. */
  sessions(bound: number): void;
  /** Parts in flight now, over all sessions, of the places there are. */
  window(inFlight: number, size: number): void;
  /** One part has its outcome; the latency is that of the answer, where there was one. */
  outcome(kind: SubmitOutcome['kind'], latencyMs: number | undefined): void;
  /** An answer came for a part that had been given up as unknown. */
  lateAnswer(): void;
  received(kind: Feedback['kind']): void;
}

export const silentObserver: SmppObserver = {
  sessions() {},
  window() {},
  outcome() {},
  lateAnswer() {},
  received() {},
};
