// How many parts a channel accepts at once, beyond what its carrier may owe an answer for. The intent of a part that waits here is
// committed: after a crash it is unknown, though it never reached a socket. So no more wait than are sent in the time that the database
// takes, twice: to commit the intent of the next part, and to record an answer. A carrier that answers at once needs five windows for
// that, one that answers after half a second a fifth of one.

/** The time that both commits may take together before the carrier's window is not always full. */
const COMMITS_MS = 100;
/** Of the newest answer in the mean. */
const WEIGHT = 1 / 16;

export interface AcceptedWindow {
  /** Never more than `max`. Before the first answer it is what fits on the wire. */
  size(): number;
  answered(latencyMs: number): void;
}

export function createAcceptedWindow(carrierWindow: number, max: number): AcceptedWindow {
  let meanMs: number | undefined;
  return {
    size() {
      const ahead = meanMs === undefined ? 0 : Math.ceil((carrierWindow * COMMITS_MS) / Math.max(1, meanMs));
      return Math.min(max, carrierWindow + ahead);
    },
    answered(latencyMs) {
      meanMs = meanMs === undefined ? latencyMs : meanMs + (latencyMs - meanMs) * WEIGHT;
    },
  };
}
