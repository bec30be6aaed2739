import type { WebhookAttempt } from '@postrider/client';
import type { ReactElement } from 'react';
import { inkOf } from '../../design/outcomes.js';
import { useWords } from '../../words/say.js';
import styles from './labels.module.css';
import { OutcomeSign } from './outcome-sign.js';

/** Whether it was taken, and what the other side answered where it did. */
export function AttemptStatus({ attempt }: { readonly attempt: WebhookAttempt }): ReactElement {
  const say = useWords();
  const look = attempt.error === null ? 'delivered' : 'undelivered';
  return (
    <span className={styles.label} style={{ color: inkOf(look) }}>
      <OutcomeSign outcome={look} />
      {attempt.status ?? say('webhooks.unanswered')}
    </span>
  );
}
