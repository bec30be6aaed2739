import type { Stage } from '@postrider/client';
import type { ReactElement, ReactNode } from 'react';
import styles from '../values/labels.module.css';
import { StagePill } from '../values/stage-pill.js';

export interface StageCount {
  readonly stage: Stage;
  /** Leads to the tasks behind it. */
  readonly count: ReactNode;
}

/** How many tasks stand at each stage. */
export function StageCounts({ counts }: { readonly counts: readonly StageCount[] }): ReactElement {
  return (
    <ul className={styles.stages}>
      {counts.map(({ stage, count }) => (
        <li key={stage}>
          <StagePill stage={stage} />
          <strong>{count}</strong>
        </li>
      ))}
    </ul>
  );
}
