import type { TaskDetail } from '@postrider/client';
import type { ReactElement } from 'react';
import { Moment } from '../../parts/values/moment.js';
import { sayValue, useWords } from '../../words/say.js';
import { sayDuration } from '../../words/say-duration.js';
import styles from './task.module.css';

/** The stages with their times, and how long each took. */
export function TaskTimeline({ task }: { readonly task: TaskDetail }): ReactElement {
  const say = useWords();
  const last = task.timeline.length - 1;
  return (
    <ol className={styles.timeline}>
      {task.timeline.map(({ stage, at }, index) => {
        const before = task.timeline[index - 1];
        const spentMs = before === undefined ? undefined : Date.parse(at) - Date.parse(before.at);
        return (
          <li key={`${stage} ${at}`} className={index === last ? `${styles.step} ${styles.current}` : styles.step}>
            <span>{sayValue(say, 'stage', stage)}</span>
            <span className={styles.when}>
              <Moment at={at} />
              {spentMs !== undefined && <span className={styles.gap}>+{sayDuration(say, spentMs)}</span>}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
