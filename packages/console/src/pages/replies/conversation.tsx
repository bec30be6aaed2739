import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { type NumberEvent, numberHistoryQuery } from '../../api/number-history.js';
import { Moment } from '../../parts/moment.js';
import { OutcomeLabel } from '../../parts/outcome-label.js';
import { TaskLink } from '../../parts/record-columns.js';
import { FailureState, LoadingState } from '../../parts/states.js';
import { useWords } from '../../words/say.js';
import styles from './replies.module.css';

/** What was sent to a number and what it wrote, oldest first as people read a conversation. */
export function Conversation({ phone }: { readonly phone: string }): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const { data, error } = useQuery({
    ...numberHistoryQuery(client, phone),
    refetchInterval: 3_000,
  });
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  const spoken = data.events.filter(({ kind }) => kind === 'receipt' || kind === 'reply').reverse();
  return (
    <>
      <h2 className={styles.title}>
        <span className="mono">{phone}</span>
        <Link to="/numbers/$phone" params={{ phone }}>
          {say('replies.whole')}
        </Link>
      </h2>
      <ol className={styles.messages}>
        {spoken.map((event) => (
          <Message key={keyOf(event)} event={event} />
        ))}
      </ol>
    </>
  );
}

/** Several may come within the same millisecond. */
function keyOf({ kind, at, record }: NumberEvent): string {
  return `${kind} ${at} ${'uplink_no' in record ? record.uplink_no : `${record.task_no} ${record.seq}`}`;
}

function Message({ event }: { readonly event: NumberEvent }): ReactElement | null {
  const say = useWords();
  if (event.kind === 'reply') {
    return (
      <li className={styles.theirs}>
        <span className={styles.bubble}>{event.record.content}</span>
        <span className={styles.when}>
          <Moment at={event.at} />
        </span>
      </li>
    );
  }
  if (event.kind !== 'receipt') return null;
  return (
    <li className={styles.ours}>
      <span className={styles.bubble}>
        {say('replies.sent')} · <TaskLink taskNo={event.record.task_no} />
      </span>
      <span className={styles.when}>
        <OutcomeLabel outcome={event.record.result} /> <Moment at={event.at} />
      </span>
    </li>
  );
}
