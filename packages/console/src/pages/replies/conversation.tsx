import type { NumberEvent } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { type NumberTexts, numberStoryQuery } from '../../api/number-story.js';
import { outcomeOfReceipt } from '../../api/receipt-outcome.js';
import { useDrawn } from '../../parts/layout/deferred-render.js';
import { FailureState, LoadingState } from '../../parts/layout/states.js';
import { TaskLink } from '../../parts/tables/record-columns.js';
import { Moment } from '../../parts/values/moment.js';
import { OutcomeLabel } from '../../parts/values/outcome-label.js';
import { useWords } from '../../words/say.js';
import styles from './replies.module.css';

/** As many as the tallest screens have room for; those below are drawn behind them. */
const IN_SIGHT = 16;

/** What was sent to a number and what it wrote, oldest first as people read a conversation. */
export function Conversation({ phone }: { readonly phone: string }): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const { data, error } = useQuery({
    ...numberStoryQuery(client, phone),
    refetchInterval: 3_000,
  });
  const newestFirst = data?.events.filter(({ kind }) => kind === 'receipt' || kind === 'reply') ?? [];
  const isDrawn = useDrawn();
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  const spoken = newestFirst.reverse();
  return (
    <>
      <h2 className={styles.title}>
        <span className="mono">{phone}</span>
        <Link to="/numbers/$phone" params={{ phone }}>
          {say('replies.whole')}
        </Link>
      </h2>
      <ol className={styles.messages}>
        {spoken.slice(0, isDrawn ? undefined : IN_SIGHT).map((event) => (
          <Message key={keyOf(event)} event={event} texts={data.texts} />
        ))}
      </ol>
    </>
  );
}

/** Several may come within the same millisecond. */
function keyOf({ kind, at, record }: NumberEvent): string {
  return `${kind} ${at} ${'uplink_no' in record ? record.uplink_no : `${record.task_no} ${record.seq}`}`;
}

interface MessageProps {
  readonly event: NumberEvent;
  readonly texts: NumberTexts;
}

function Message({ event, texts }: MessageProps): ReactElement | null {
  const say = useWords();
  if (event.kind === 'reply') {
    const text = texts.ofTask(event.record.task_no);
    return (
      <li className={styles.theirs}>
        <span className={styles.bubble}>
          {text !== undefined && (
            <span className={styles.quote} title={text}>
              {say('replies.answers', { text })}
            </span>
          )}
          {event.record.content}
        </span>
        <span className={styles.when}>
          <Moment at={event.at} />
        </span>
      </li>
    );
  }
  if (event.kind !== 'receipt') return null;
  return (
    <li className={styles.ours}>
      <span className={styles.bubble}>{texts.ofReceipt(event.record) ?? say('replies.sent')}</span>
      <span className={styles.when}>
        <OutcomeLabel outcome={outcomeOfReceipt(event.record)} /> <TaskLink taskNo={event.record.task_no} />{' '}
        <Moment at={event.at} />
      </span>
    </li>
  );
}
