// Long computations as generators that yield every few dozen microseconds, so that the caller can run them in slices of the event loop
// or all at once.

export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Entries of a list between two yields, where an entry takes about a microsecond. */
export const ENTRIES_A_STEP = 32;

/** Runs all steps. */
export function finishSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs steps until the deadline; undefined if they are not finished. They can be continued. */
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
