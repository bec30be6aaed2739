// How the signs of outcomes are drawn. Which there are and which colours they have is the client's, for terminals show the same.

import { OUTCOMES, type Outcome, type TaskCounts } from '@postrider/client';

/** A path in a square of 16, drawn with a round pen. */
export const OUTCOME_SIGNS: Record<Outcome, string> = {
  delivered: 'M3.5 8.5 6.5 11.5 12.5 4.5',
  awaiting: 'M8 4.5V8l2.2 1.6M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z',
  unsent: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0Z',
  unknown: 'M5.6 6a2.4 2.4 0 1 1 3.5 2.1c-.8.4-1.1.9-1.1 1.7M8 12.4v.1',
  expired: 'M4.5 2.5h7M4.5 13.5h7M5.5 2.5c0 3 5 3.5 5 5.5s-5 2.5-5 5.5M10.5 2.5c0 3-5 3.5-5 5.5s5 2.5 5 5.5',
  undelivered: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  rejected: 'M3.9 3.9l8.2 8.2M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z',
};

export function fillOf(outcome: Outcome): string {
  return `var(--${outcome}-fill)`;
}

export function inkOf(outcome: Outcome): string {
  return `var(--${outcome}-ink)`;
}

/** The API counts what was cancelled among the rejected; people see it apart. */
export type CountedOutcome = Outcome | 'cancelled';

/** The numbers of a task or of a batch. */
export interface Counted {
  readonly counts: TaskCounts;
  readonly cancelled: number;
}

const COUNTED_OUTCOMES: readonly CountedOutcome[] = OUTCOMES.flatMap((outcome): CountedOutcome[] =>
  outcome === 'expired' ? ['cancelled', 'expired'] : [outcome],
);

/** The parts that add up to the total. */
export function splitCounts({
  counts,
  cancelled,
}: Counted): { readonly outcome: CountedOutcome; readonly count: number }[] {
  const shown = { ...counts, rejected: counts.rejected - cancelled, cancelled };
  return COUNTED_OUTCOMES.map((outcome) => ({ outcome, count: shown[outcome] }));
}
