import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../../../design/icons.js';
import { inkOf } from '../../../design/outcomes.js';
import { useWords } from '../../../words/say.js';
import styles from '../operator.module.css';
import { judge, type Limits } from './platform-limits.js';

interface JudgedProps {
  readonly value: number;
  readonly limits: Limits;
  readonly children: ReactNode;
}

/** A figure that is plain while all is well, and has a colour and a sign when it is not. */
export function ThresholdValue({ value, limits, children }: JudgedProps): ReactElement {
  const say = useWords();
  const level = judge(value, limits);
  if (level === 'good') return <span>{children}</span>;
  const ink = inkOf(level === 'bad' ? 'undelivered' : 'unknown');
  return (
    <span className={styles.judged} style={{ color: ink }} title={say(`level.${level}`)}>
      <Icon name="alert" size={14} />
      {children}
      <span className="visually-hidden">{say(`level.${level}`)}</span>
    </span>
  );
}
