import type { Outcome } from '@postrider/client';
import type { ReactElement } from 'react';
import { inkOf } from '../../design/outcomes.js';
import { sayValue, useWords } from '../../words/say.js';
import styles from './labels.module.css';
import { OutcomeSign } from './outcome-sign.js';

const LOOKS: Readonly<Record<string, Outcome>> = {
  active: 'delivered',
  up: 'delivered',
  balanced: 'delivered',
  unbalanced: 'undelivered',
  silent: 'undelivered',
  told: 'delivered',
  failing: 'undelivered',
  unverified: 'unknown',
  degraded: 'unknown',
  down: 'undelivered',
  suspended: 'undelivered',
  disabled: 'unsent',
  revoked: 'unsent',
  removed: 'unsent',
  queued: 'unsent',
  sending: 'awaiting',
  accepted: 'awaiting',
  rejected: 'rejected',
  pending: 'awaiting',
  unknown: 'unknown',
  not_sent: 'unsent',
  opened: 'awaiting',
  bound: 'delivered',
  closed: 'unsent',
  waiting: 'awaiting',
  running: 'awaiting',
  done: 'delivered',
  month_kept: 'delivered',
  month_due: 'awaiting',
  month_open: 'unknown',
  month_ended: 'unsent',
};

/** The sign and the gap behind it, in letters: a tile has to fit them, too. */
const SIGN_LENGTH = 3;

/** Whether something works, with the signs that are used for numbers, too: a tick is good everywhere. */
export function StatusLabel({ status }: { readonly status: string }): ReactElement {
  const say = useWords();
  const look = LOOKS[status] ?? 'unsent';
  const word = sayValue(say, 'status', status);
  return (
    <span className={styles.label} style={{ color: inkOf(look), '--length': word.length + SIGN_LENGTH }}>
      <OutcomeSign outcome={look} />
      {word}
    </span>
  );
}
