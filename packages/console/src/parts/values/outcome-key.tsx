// What an outcome looks like in a chart: its colour, and a pattern that tells it from the others without the colour.

import type { Outcome } from '@postrider/client';
import type { ReactElement } from 'react';
import { fillOf } from '../../design/outcomes.js';
import styles from './outcome-key.module.css';
import { looksLike, OutcomeLabel, type ShownOutcome } from './outcome-label.js';

/** What is delivered is plain; what is open is hatched; each way to fail has a pattern of its own. */
const PATTERNS: Record<Outcome, string | undefined> = {
  delivered: undefined,
  awaiting: styles.open,
  unsent: styles.open,
  unknown: styles.open,
  expired: styles.lines,
  undelivered: styles.strokes,
  rejected: styles.dots,
};

export function patternOf(outcome: Outcome): string {
  return PATTERNS[outcome] ?? '';
}

/** The key to a chart: a piece of it, and what it means. */
export function OutcomeKey({ outcome }: { readonly outcome: ShownOutcome }): ReactElement {
  const look = looksLike(outcome);
  return (
    <span className={styles.key}>
      <span className={`${styles.swatch} ${patternOf(look)}`} style={{ backgroundColor: fillOf(look) }} />
      <OutcomeLabel outcome={outcome} />
    </span>
  );
}
