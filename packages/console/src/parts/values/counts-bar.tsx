// The outcomes of a task's numbers as one bar, whose segments add up to the total.

import type { ReactElement, ReactNode } from 'react';
import { type Counted, type CountedOutcome, fillOf, splitCounts } from '../../design/outcomes.js';
import { showCount } from '../../format/count.js';
import { useWords } from '../../words/say.js';
import styles from './counts-bar.module.css';
import { OutcomeKey, patternOf } from './outcome-key.js';
import { looksLike } from './outcome-label.js';

interface CountsBarProps {
  readonly of: Counted;
  readonly height?: string;
}

export function CountsBar({ of, height = '0.5rem' }: CountsBarProps): ReactElement {
  const say = useWords();
  const pieces = splitCounts(of).filter(({ count }) => count > 0);
  const spoken = pieces.map(({ outcome, count }) => `${count} ${say(`outcome.${outcome}`)}`).join(', ');
  return (
    <div className={styles.bar} style={{ '--height': height }} role="img" aria-label={spoken} title={spoken}>
      {pieces.map(({ outcome, count }) => (
        <div
          key={outcome}
          className={`${styles.piece} ${patternOf(looksLike(outcome))}`}
          style={{ flexGrow: count, backgroundColor: fillOf(looksLike(outcome)) }}
        />
      ))}
    </div>
  );
}

interface CountsLegendProps {
  readonly of: Counted;
  /** Leads from a count to the rows behind it. */
  readonly linkCount?: (outcome: CountedOutcome, shown: ReactNode) => ReactNode;
}

export function CountsLegend({ of, linkCount }: CountsLegendProps): ReactElement {
  return (
    <ul className={styles.legend}>
      {splitCounts(of).map(({ outcome, count }) => {
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
