import type { DeliveryStatus, ReceiptResult, SubmitStatus } from '@postrider/client';
import type { ReactElement } from 'react';
import { inkOf, type Outcome } from '../design/outcomes.js';
import { sayValue, useWords } from '../words/say.js';
import styles from './labels.module.css';
import { OutcomeSign } from './outcome-sign.js';

export type ShownOutcome = Outcome | ReceiptResult | SubmitStatus | DeliveryStatus;

/** What the wire says is not yet what became of the number: a part that was accepted is awaiting. */
const LOOKS: Partial<Record<ShownOutcome, Outcome>> = { accepted: 'awaiting', intermediate: 'awaiting' };

export function looksLike(shown: ShownOutcome): Outcome {
  return LOOKS[shown] ?? (shown as Outcome);
}

export function OutcomeLabel({ outcome }: { readonly outcome: ShownOutcome }): ReactElement {
  const say = useWords();
  const look = looksLike(outcome);
  return (
    <span className={styles.label} style={{ color: inkOf(look) }}>
      <OutcomeSign outcome={look} />
      {sayValue(say, 'outcome', outcome)}
    </span>
  );
}
