// The requests a session has sent and not seen answered, by sequence number and oldest first.

export const MAX_SEQUENCE = 0x7fffffff;
/** How many expired requests are remembered in case their answer still comes. */
const MAX_LATE = 1_000;

export interface InFlight<T> {
  readonly ticket: T;
  readonly sentAt: number;
}

export interface Window<T> {
  readonly inFlight: number;
  /** The next number, from 1 to 0x7fffffff and round again, that no unanswered request has. */
  nextSequence(): number;
  add(sequence: number, ticket: T, now: number): void;
  settle(sequence: number): InFlight<T> | undefined;
  /** The request of an answer that came after `expire` had given up on it. */
  settleLate(sequence: number): InFlight<T> | undefined;
  /** Takes out what was sent at or before `limit`. */
  expire(limit: number): InFlight<T>[];
  /** Takes out everything. */
  clear(): InFlight<T>[];
}

/** Counts from `first` to 0x7fffffff and round again. */
export function createCounter(first = 1): () => number {
  let next = first;
  return () => {
    const value = next;
    next = next >= MAX_SEQUENCE ? 1 : next + 1;
    return value;
  };
}

/** Sessions whose numbers must not repeat each other's draw them from one counter. */
export function createWindow<T>(draw: () => number = createCounter()): Window<T> {
  const requests = new Map<number, InFlight<T>>();
  const late = new Map<number, InFlight<T>>();

  return {
    get inFlight() {
      return requests.size;
    },
    nextSequence() {
      let sequence = draw();
      while (requests.has(sequence)) sequence = draw();
      return sequence;
    },
    add(sequence, ticket, now) {
      late.delete(sequence);
      requests.set(sequence, { ticket, sentAt: now });
    },
    settle(sequence) {
      const request = requests.get(sequence);
      if (request !== undefined) requests.delete(sequence);
      return request;
    },
    settleLate(sequence) {
      const request = late.get(sequence);
      if (request !== undefined) late.delete(sequence);
      return request;
    },
    expire(limit) {
      const expired: InFlight<T>[] = [];
      for (const [sequence, request] of requests) {
        // Oldest first: the first that is young enough ends the search.
        if (request.sentAt > limit) break;
        requests.delete(sequence);
        late.set(sequence, request);
        expired.push(request);
      }
      for (const sequence of late.keys()) {
        if (late.size <= MAX_LATE) break;
        late.delete(sequence);
      }
      return expired;
    },
    clear() {
      const all = [...requests.values()];
      requests.clear();
      late.clear();
      return all;
    },
  };
}
