import type { Stage, Task } from '@postrider/client';
import type { ReactElement } from 'react';
import { inkOf } from '../../design/outcomes.js';
import { sayValue, useWords } from '../../words/say.js';
import styles from './labels.module.css';
import { OutcomeSign } from './outcome-sign.js';

/** How far along the way a stage is, in quarters. The colours belong to the outcomes: a stage fills a ring instead. */
const PROGRESS: Partial<Record<Stage, number>> = {
  queued: 0,
  prepared: 1,
  submitting: 2,
  waiting_receipt: 3,
  completed: 4,
};

const LOOKS: Partial<Record<Stage, string>> = {
  submitting: 'var(--accent)',
  waiting_receipt: 'var(--accent)',
  submit_unknown: inkOf('unknown'),
  failed: inkOf('undelivered'),
};

export function StagePill({ stage }: { readonly stage: Stage }): ReactElement {
  const say = useWords();
  return (
    <span className={styles.pill} style={{ color: LOOKS[stage] ?? 'var(--ink-soft)' }}>
      <StageSign stage={stage} />
      {sayValue(say, 'stage', stage)}
    </span>
  );
}

/** With what keeps the task there, unless that is the way of things; on a phone in place of the stage, for want of room. */
export function TaskStage({ task }: { readonly task: Pick<Task, 'stage' | 'waits_for' | 'counts'> }): ReactElement {
  const say = useWords();
  const { stage, waits_for: waitsFor } = task;
  const isHeld = waitsFor !== null && (stage === 'prepared' || waitsFor === 'resume');
  return (
    <>
      <StagePill stage={stage} />
      {isHeld && (
        <>
          {' '}
          <span className={styles.held}>{sayValue(say, 'waitsBriefly', waitsFor)}</span>
        </>
      )}
      {hasSentNothing(task) && (
        <>
          {' '}
          <span className={styles.held} style={{ color: inkOf('undelivered') }}>
            {say('stage.nothingSent')}
          </span>
        </>
      )}
    </>
  );
}

/** Every number was rejected: the task is complete, and no message was sent. */
export function hasSentNothing({ stage, counts }: Pick<Task, 'stage' | 'counts'>): boolean {
  return stage === 'completed' && counts.rejected === counts.total;
}

const RADIUS = 3;
const AROUND = 2 * Math.PI * RADIUS;

function StageSign({ stage }: { readonly stage: Stage }): ReactElement {
  if (stage === 'submit_unknown') return <OutcomeSign outcome="unknown" />;
  if (stage === 'failed') return <OutcomeSign outcome="undelivered" />;
  const progress = PROGRESS[stage];
  return (
    <svg width={12} height={12} viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
      <circle cx={8} cy={8} r={6.5} strokeWidth={1.6} />
      {progress === undefined ? (
        <path d="M4.5 8h7" strokeWidth={1.8} strokeLinecap="round" />
      ) : (
        <circle
          cx={8}
          cy={8}
          r={RADIUS}
          strokeWidth={2 * RADIUS}
          strokeDasharray={`${(AROUND * progress) / 4} ${AROUND}`}
          transform="rotate(-90 8 8)"
        />
      )}
    </svg>
  );
}
