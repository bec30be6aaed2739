// The outcomes of one submit call, in the order of arrival. The stream ends after the outcome of the last part.
import type { SubmitOutcome } from '../channel.js';

export interface OutcomeStream extends AsyncIterable<SubmitOutcome> {
  push(outcome: SubmitOutcome): void;
}

export function createOutcomeStream(expected: number, onAllPushed: () => void): OutcomeStream {
  const ready: SubmitOutcome[] = [];
  let taken = 0;
  let given = 0;
  let pushed = 0;
  let isAbandoned = false;
  let wake: (() => void) | undefined;

  async function* iterate(): AsyncGenerator<SubmitOutcome, void, undefined> {
    try {
      while (given < expected) {
        while (taken < ready.length) {
          const outcome = ready[taken] as SubmitOutcome;
          taken += 1;
          given += 1;
          yield outcome;
        }
        ready.length = 0;
        taken = 0;
        if (given < expected) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      // The caller stopped iterating: later outcomes are dropped.
      isAbandoned = true;
    }
  }

  return {
    push(outcome) {
      pushed += 1;
      if (pushed === expected) onAllPushed();
      if (isAbandoned) return;
      ready.push(outcome);
      wake?.();
      wake = undefined;
    },
    [Symbol.asyncIterator]: iterate,
  };
}
