// What came in and what went out, per destination where it matters: the proof that nothing was doubled or lost.

const COUNTERS = [
  'binds',
  'submits',
  'accepted',
  'refused',
  'throttled',
  'answersLost',
  'swallowed',
  'receipts',
  'duplicates',
  'early',
  'late',
  'reordered',
  'contradictions',
  'poisoned',
  'withheld',
  'uplinks',
  'acknowledged',
  'redelivered',
  'givenUp',
  'cuts',
  'unbinds',
  'garbage',
  'malformed',
] as const;

type Counter = (typeof COUNTERS)[number];

export type Counts = { readonly [C in Counter]: number } & {
  /** Destinations, and parts of a long message each for itself, that were accepted. */
  readonly destinations: number;
  /** Of those, how many were accepted more than once. */
  readonly doubled: number;
};

export interface Tally {
  add(counter: Counter): void;
  /** Submits so far. */
  submits(): number;
  /** Counts one accepted part and returns how often it has been accepted. */
  accept(destination: string, part: number): number;
  counts(): Counts;
  /** How often each destination was accepted; the parts of a long message are `number#part`. */
  destinations(): Record<string, number>;
}

export function createTally(): Tally {
  const values = Object.fromEntries(COUNTERS.map((counter) => [counter, 0])) as Record<Counter, number>;
  const accepted = new Map<string, number>();
  let doubled = 0;
  return {
    add(counter) {
      values[counter] += 1;
    },
    submits: () => values.submits,
    accept(destination, part) {
      values.accepted += 1;
      const key = part === 0 ? destination : `${destination}#${part}`;
      const times = (accepted.get(key) ?? 0) + 1;
      accepted.set(key, times);
      if (times === 2) doubled += 1;
      return times;
    },
    counts: () => ({ ...values, destinations: accepted.size, doubled }),
    destinations: () => Object.fromEntries(accepted),
  };
}
