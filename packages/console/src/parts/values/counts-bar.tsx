// The outcomes of a task's numbers as one bar, whose segments add up to the total.

import type { TaskCounts } from '@postrider/client';
import { OUTCOMES, type Outcome } from '@postrider/client';
import type { ReactElement, ReactNode } from 'react';
import { fillOf, splitCounts } from '../../design/outcomes.js';
import { showCount } from '../../format/count.js';
import { useWords } from '../../words/say.js';
import styles from './counts-bar.module.css';
import { OutcomeKey, patternOf } from './outcome-key.js';

interface CountsBarProps {
  readonly counts: TaskCounts;
  readonly height?: string;
}

export function CountsBar({ counts, height = '0.5rem' }: CountsBarProps): ReactElement {
  const say = useWords();
  const pieces = splitCounts(counts);
  const spoken = pieces.map(({ outcome, count }) => `${count} ${say(`outcome.${outcome}`)}`).join(', ');
  return (
    <div className={styles.bar} style={{ '--height': height }} role="img" aria-label={spoken} title={spoken}>
      {pieces.map(({ outcome, count }) => (
        <div
          key={outcome}
          className={`${styles.piece} ${patternOf(outcome)}`}
          style={{ flexGrow: count, backgroundColor: fillOf(outcome) }}
        />
      ))}
    </div>
  );
}

interface CountsLegendProps {
  readonly counts: TaskCounts;
  /** Leads from a count to the rows behind it. */
  readonly linkCount?: (outcome: Outcome, shown: ReactNode) => ReactNode;
}

export function CountsLegend({ counts, linkCount }: CountsLegendProps): ReactElement {
  return (
    <ul className={styles.legend}>
      {OUTCOMES.map((outcome) => {
        const count = counts[outcome];
        const shown = showCount(count);
        return (
          <li key={outcome} className={count === 0 ? `${styles.entry} ${styles.none}` : styles.entry}>
            <span className={styles.count}>{count > 0 ? (linkCount?.(outcome, shown) ?? shown) : shown}</span>
            <OutcomeKey outcome={outcome} />
          </li>
        );
      })}
    </ul>
  );
}
