// What there is by name, each with what there was in the period before: two bars a line, the figures beside them.

import type { ReactElement, ReactNode } from 'react';
import { useWords } from '../../words/say.js';
import styles from './charts.module.css';

export interface ComparedValue {
  /** Of the longest bar, between 0 and 1. */
  readonly share: number;
  readonly shown: string;
}

export interface ComparedBar {
  readonly key: string;
  readonly name: ReactNode;
  readonly now: ComparedValue;
  /** Undefined where there was nothing. */
  readonly before: ComparedValue | undefined;
  readonly change: string | undefined;
}

export function ComparedBars({ bars }: { readonly bars: readonly ComparedBar[] }): ReactElement {
  const say = useWords();
  return (
    <>
      <ul className={styles.bars}>
        {bars.map(({ key, name, now, before, change }) => (
          <li key={key} className={styles.bar}>
            <span className={styles.barName}>{name}</span>
            <span aria-hidden="true">
              <Bar share={now.share} look="now" />
              <Bar share={before?.share ?? 0} look="before" />
            </span>
            <span className={styles.barValue}>
              {now.shown}
              <span className={styles.barNote}>
                {before === undefined ? say('compared.none') : say('compared.was', { value: before.shown })}
                {change !== undefined && <> · {change}</>}
              </span>
            </span>
          </li>
        ))}
      </ul>
      <ComparedKey />
    </>
  );
}

function Bar({ share, look }: { readonly share: number; readonly look: 'now' | 'before' }): ReactElement {
  return <span className={`${styles.compared} ${styles[look]}`} style={{ width: `${Math.max(0, share) * 100}%` }} />;
}

/** Which of the two is which. */
export function ComparedKey(): ReactElement {
  const say = useWords();
  return (
    <ul className={styles.legend} aria-hidden="true">
      <li>
        <span className={`${styles.swatch} ${styles.now}`} /> {say('compared.now')}
      </li>
      <li>
        <span className={`${styles.swatch} ${styles.before}`} /> {say('compared.periodBefore')}
      </li>
    </ul>
  );
}
