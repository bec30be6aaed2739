import { type DeliveryStatus, type Outcome, outcomeOf, type ReceiptResult, type SubmitStatus } from '@postrider/client';
import type { ReactElement } from 'react';
import { inkOf } from '../../design/outcomes.js';
import { sayValue, useWords } from '../../words/say.js';
import styles from './labels.module.css';
import { OutcomeSign } from './outcome-sign.js';

export type ShownOutcome = Outcome | ReceiptResult | SubmitStatus | DeliveryStatus | 'cancelled';

export function looksLike(shown: ShownOutcome): Outcome {
  return outcomeOf(shown) ?? 'unsent';
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
