// The steps to a first message, those that are done marked.

import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../../design/icons.js';
import { inkOf } from '../../design/outcomes.js';
import { useWords } from '../../words/say.js';
import styles from './checklist.module.css';
import { Card, CardGrid } from './page.js';

export interface Step {
  readonly key: string;
  readonly isDone: boolean;
  /** Leads to where it is done. */
  readonly link: ReactNode;
}

export function Checklist({ title, steps }: { readonly title: string; readonly steps: readonly Step[] }): ReactElement {
  const say = useWords();
  return (
    <CardGrid columns={1}>
      <Card title={title}>
        <ol className={styles.steps}>
          {steps.map(({ key, isDone, link }) => (
            <li key={key} className={isDone ? `${styles.step} ${styles.done}` : styles.step}>
              <span
                style={{ color: inkOf(isDone ? 'delivered' : 'unsent') }}
                role="img"
                aria-label={say(isDone ? 'steps.done' : 'steps.open')}
              >
                <Icon name={isDone ? 'check' : 'clock'} size={16} />
              </span>
              {link}
            </li>
          ))}
        </ol>
      </Card>
    </CardGrid>
  );
}
