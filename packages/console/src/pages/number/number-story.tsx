import type { NumberEvent } from '@postrider/client';
import type { ReactElement, ReactNode } from 'react';
import { useFirmNames } from '../../api/firms.js';
import type { NumberTexts } from '../../api/number-story.js';
import { outcomeOfReceipt } from '../../api/receipt-outcome.js';
import { Icon, type IconName } from '../../design/icons.js';
import { useDrawn } from '../../parts/layout/deferred-render.js';
import { TaskLink } from '../../parts/tables/record-columns.js';
import { Amount } from '../../parts/values/amount.js';
import { CodeLabel } from '../../parts/values/code-label.js';
import { Moment } from '../../parts/values/moment.js';
import { OutcomeLabel } from '../../parts/values/outcome-label.js';
import { useWords } from '../../words/say.js';
import { sayReason } from '../../words/say-reason.js';
import styles from './number.module.css';

const ICONS: Record<NumberEvent['kind'], IconName> = {
  submitted: 'right',
  unanswered: 'unknown',
  answered: 'back',
  reported: 'reports',
  receipt: 'ledger',
  reply: 'replies',
};

/** The most that fit the screens of most. */
const IN_SIGHT = 14;

interface NumberStoryProps {
  readonly events: readonly NumberEvent[];
  readonly texts: NumberTexts;
}

export function NumberStory({ events, texts }: NumberStoryProps): ReactElement {
  const isDrawn = useDrawn();
  return (
    <ol className={styles.story}>
      {(isDrawn ? events : events.slice(0, IN_SIGHT)).map((event) => (
        <li key={keyOf(event)} className={event.kind === 'receipt' ? `${styles.event} ${styles.final}` : styles.event}>
          <span className={styles.icon}>
            <Icon name={ICONS[event.kind]} size={14} />
          </span>
          <div className={styles.text}>
            <EventText event={event} texts={texts} />
          </div>
          <span className={styles.when}>
            <Moment at={event.at} />
          </span>
        </li>
      ))}
    </ol>
  );
}

function keyOf(event: NumberEvent): string {
  const { kind, at } = event;
  if (kind === 'reply') return `${kind} ${event.record.uplink_no}`;
  const part = 'part' in event.record ? event.record.part : 0;
  return `${kind} ${event.record.task_no} ${event.record.seq} ${part} ${at}`;
}

function EventText({ event, texts }: { readonly event: NumberEvent; readonly texts: NumberTexts }): ReactElement {
  const say = useWords();
  const nameFirm = useFirmNames();
  switch (event.kind) {
    case 'submitted': {
      const { part, parts, firm, task_no: taskNo } = event.record;
      return <Line task={taskNo}>{say('number.submitted', { part, parts, firm: nameFirm(firm) })}</Line>;
    }
    case 'unanswered':
      return (
        <Line task={event.record.task_no}>
          {say('number.unanswered')} <OutcomeLabel outcome="unknown" />
          <span className={styles.more}>{say('number.unansweredHint')}</span>
        </Line>
      );
    case 'answered': {
      const { status, code, upstream_message_id: id } = event.record;
      return (
        <Line>
          {say('number.answered')} <OutcomeLabel outcome={status} /> {code !== null && <CodeLabel code={code} />}{' '}
          {id !== null && <span className="soft mono">{id}</span>}
        </Line>
      );
    }
    case 'reported': {
      const { status, code, part, parts } = event.record;
      return (
        <Line>
          {say('number.reported', { part, parts })} <OutcomeLabel outcome={status} />{' '}
          {code !== null && <CodeLabel code={code} />}
        </Line>
      );
    }
    case 'receipt': {
      const { code, charged, task_no: taskNo } = event.record;
      const text = texts.ofReceipt(event.record);
      return (
        <Line task={taskNo}>
          <strong>{say('number.receipt')}</strong> <OutcomeLabel outcome={outcomeOfReceipt(event.record)} />{' '}
          {code !== null && <CodeLabel code={code} />}
          {text !== undefined && (
            <span className={styles.more}>
              {say('task.text')} <span className={styles.quote}>{text}</span>
            </span>
          )}
          <span className={styles.more}>
            {sayReason(say, event.record)} · {say('record.charged')} <Amount value={charged} isShort />
          </span>
        </Line>
      );
    }
    case 'reply': {
      const { content, task_no: taskNo } = event.record;
      return (
        <Line {...(taskNo === null ? {} : { task: taskNo })}>
          {say('number.reply')} <span className={styles.quote}>{content}</span>
        </Line>
      );
    }
  }
}

function Line({ task, children }: { readonly task?: string; readonly children: ReactNode }): ReactElement {
  return (
    <span>
      {children} {task !== undefined && <TaskLink taskNo={task} />}
    </span>
  );
}
