// What needs attention, in a line that is always there, so that the layout does not shift.

import type { Outcome } from '@postrider/client';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../../design/icons.js';
import { inkOf } from '../../design/outcomes.js';
import { useWords } from '../../words/say.js';
import styles from './concerns.module.css';

export interface Concern {
  readonly key: string;
  readonly look: Outcome;
  /** Says what it is, and leads to the rows behind it. */
  readonly link: ReactNode;
}

interface ConcernsProps {
  readonly concerns: readonly Concern[];
  /** Why it is not known whether anything waits: then it is not said that nothing does. */
  readonly blindness?: string | undefined;
}

export function Concerns({ concerns, blindness }: ConcernsProps): ReactElement {
  const say = useWords();
  return (
    <section className={styles.strip} aria-label={say('concerns.title')}>
      {blindness !== undefined ? (
        <p className={styles.none}>
          <span>
            <Icon name="alert" size={16} />
          </span>
          {blindness}
        </p>
      ) : concerns.length === 0 ? (
        <p className={styles.none}>
          <span style={{ color: inkOf('delivered') }}>
            <Icon name="check" size={16} />
          </span>
          {say('concerns.none')}
        </p>
      ) : (
        <ul className={styles.lines}>
          {concerns.map(({ key, look, link }) => (
            <li key={key} className={styles.line}>
              <span style={{ color: inkOf(look) }}>
                <Icon name="alert" size={16} />
              </span>
              {link}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
