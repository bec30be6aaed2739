import type { ChannelEvent, Page } from '@postrider/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { useWords } from '../../../words/say.js';
import styles from '../operator.module.css';
import { collapseEvents } from './collapse-events.js';

/** As many as a call answers: what repeats in them is one line. */
const READ = 100;
const SHOWN = 20;

export function useChannelLog(channelNo: string): UseQueryResult<Page<ChannelEvent>> {
  const operator = useOperator();
  return useQuery({
    queryKey: ['channel-events', channelNo],
    queryFn: ({ signal }) => operator.channelEvents(channelNo, { pageSize: READ, signal }).page(),
    refetchInterval: 3_000,
  });
}

/** The last binds, losses and refusals, whichever process saw them. */
export function ChannelLog({ channelNo }: { readonly channelNo: string }): ReactElement {
  const say = useWords();
  const { data, error } = useChannelLog(channelNo);
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  if (data.items.length === 0) return <p className="soft">{say('channels.logNone')}</p>;
  const lines = collapseEvents(data.items).slice(0, SHOWN);
  const rows = lines.map(({ last: { at, event, detail, owner }, count, firstAt }) => ({
    [say('record.time')]: <Moment at={at} />,
    [say('record.status')]: <StatusLabel status={event} />,
    [say('channels.detail')]: (
      <span className={styles.text}>
        {detail}
        {count > 1 && (
          <span className="soft">
            {' · '}
            {say('channels.times', { count })} <Moment at={firstAt} />
          </span>
        )}
      </span>
    ),
    [say('platform.node')]: <span className="mono">{owner}</span>,
  }));
  return <PlainTable rows={rows} label={say('channels.log')} />;
}
