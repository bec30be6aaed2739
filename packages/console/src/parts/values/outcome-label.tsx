import {
  type DeliveryStatus,
  type Outcome,
  outcomeOf,
  type Receipt,
  type ReceiptResult,
  type SubmitStatus,
} from '@postrider/client';
import type { ReactElement } from 'react';
import { inkOf } from '../../design/outcomes.js';
import { sayValue, useWords } from '../../words/say.js';
import styles from './labels.module.css';
import { OutcomeSign } from './outcome-sign.js';

export type ShownOutcome = Outcome | ReceiptResult | SubmitStatus | DeliveryStatus | 'cancelled';

export function looksLike(shown: ShownOutcome): Outcome {
  return outcomeOf(shown) ?? 'unsent';
}

/** Of ours, where nothing was handed over: a carrier may use the same words. */
const CANCELLED_CODES: readonly (string | null)[] = ['cancelled', 'expired_unsent'];

/** What a receipt says to people: what was not sent because its task ended is not rejected. */
export function outcomeOfReceipt({
  result,
  code,
  submitted_at: submittedAt,
}: Pick<Receipt, 'result' | 'code' | 'submitted_at'>): ShownOutcome {
  return result === 'rejected' && submittedAt === null && CANCELLED_CODES.includes(code) ? 'cancelled' : result;
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
