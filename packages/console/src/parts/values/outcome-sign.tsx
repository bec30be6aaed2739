import type { Outcome } from '@postrider/client';
import type { ReactElement } from 'react';
import { inkOf, OUTCOME_SIGNS } from '../../design/outcomes.js';

/** The sign of an outcome in its colour, as large as the word beside it. Without one it is said by the one who shows it. */
export function OutcomeSign({ outcome }: { readonly outcome: Outcome }): ReactElement {
  return (
    <svg
      width="1em"
      height="1em"
      viewBox="0 0 16 16"
      fill="none"
      // The line of a label is that of its word, not of its sign.
      style={{ stroke: inkOf(outcome), flex: 'none', alignSelf: 'center' }}
      strokeWidth="1.9"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={OUTCOME_SIGNS[outcome]} />
    </svg>
  );
}
