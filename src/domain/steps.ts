// Long computations in steps. Such a function is a generator that yields every few dozen microseconds, wherever its caller may
// do something else first: on the event loop it then runs in slices, elsewhere in one go.

export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Entries of a list between two yields, where an entry takes about a microsecond. */
export const ENTRIES_A_STEP = 32;

/** In one go. */
export function finishSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Up to the time given; undefined when they are not done by then. They can be gone on with. */
export function finishUntil<Result>(steps: Steps<Result>, isOver: () => boolean): Result | undefined {
  while (!isOver()) {
    const step = steps.next();
    if (step.done) return step.value;
  }
  return undefined;
}

/** The text that JSON.stringify makes of a list, in pieces of a few entries. */
export function* stringifyInPieces<Entry>(
  list: readonly Entry[],
  toJson: (entry: Entry) => unknown,
): Generator<string> {
  if (list.length === 0) yield '[]';
  for (let at = 0; at < list.length; at += ENTRIES_A_STEP) {
    const piece = JSON.stringify(list.slice(at, at + ENTRIES_A_STEP).map(toJson)).slice(1, -1);
    yield `${at === 0 ? '[' : ','}${piece}${at + ENTRIES_A_STEP >= list.length ? ']' : ''}`;
  }
}
