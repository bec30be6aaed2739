// The unanswered requests of a session, by sequence number, oldest first.

export const MAX_SEQUENCE = 0x7fffffff;
/** How many expired requests are remembered in case their answer still comes. */
const MAX_LATE = 1_000;

export interface InFlight<T> {
  readonly ticket: T;
  readonly sentAt: number;
}

export interface Window<T> {
  readonly inFlight: number;
  /** The next sequence number that no unanswered request has, from 1 to 0x7fffffff and from 1 again. */
  nextSequence(): number;
  add(sequence: number, ticket: T, now: number): void;
  settle(sequence: number): InFlight<T> | undefined;
  /** The request of an answer that arrived after `expire` removed it. */
  settleLate(sequence: number): InFlight<T> | undefined;
  /** Removes the requests that were sent at or before `limit`. */
  expire(limit: number): InFlight<T>[];
  /** Removes all requests. */
  clear(): InFlight<T>[];
}

/** Counts from `first` to 0x7fffffff, then from 1 again. */
export function createCounter(first = 1): () => number {
  let next = first;
  return () => {
    const value = next;
    next = next >= MAX_SEQUENCE ? 1 : next + 1;
    return value;
  };
}

/** Sessions can share a counter, for numbers that are unique over all of them. */
export function createWindow<T>(nextNumber: () => number = createCounter()): Window<T> {
  const requests = new Map<number, InFlight<T>>();
  const late = new Map<number, InFlight<T>>();

  return {
    get inFlight() {
      return requests.size;
    },
    nextSequence() {
      let sequence = nextNumber();
      while (requests.has(sequence)) sequence = nextNumber();
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
        // Oldest first: all others are younger.
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
