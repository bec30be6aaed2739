import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useOperator } from '../../api/clients.js';
import { type MetricsReading, rateOf, sumMetric } from '../../api/metrics.js';
import { PlainTable } from '../../parts/plain-table.js';
import { FailureState, LoadingState, State } from '../../parts/states.js';
import { StatusLabel } from '../../parts/status-label.js';
import { useWords } from '../../words/say.js';

interface ChannelHealthListProps {
  readonly reading: MetricsReading | undefined;
  readonly before: MetricsReading | undefined;
}

/** Each channel: up or not, its window, what goes through it now. */
export function ChannelHealthList({ reading, before }: ChannelHealthListProps): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const { data, error } = useQuery({
    queryKey: ['channels'],
    queryFn: ({ signal }) => operator.channels({ pageSize: 100, signal }).page(),
    refetchInterval: 3_000,
  });
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  if (data.items.length === 0) return <State icon="channels" title={say('channels.empty')} />;
  const rows = data.items.map((channel) => {
    const labels = { channel: channel.channel_no };
    const inFlight = reading && sumMetric(reading, 'postrider_smpp_window_in_flight', labels);
    const size = reading && sumMetric(reading, 'postrider_smpp_window_size', labels);
    const rate = reading && before && rateOf(before, reading, 'postrider_parts_total', labels);
    return {
      [say('channels.name')]: (
        <Link to="/operator/channels/$channelNo" params={{ channelNo: channel.channel_no }}>
          {channel.name}
        </Link>
      ),
      [say('record.status')]: (
        <StatusLabel status={channel.status === 'active' ? channel.health.state : channel.status} />
      ),
      [say('channels.sessions')]: channel.health.sessions,
      [say('channels.window')]: size === undefined || size === 0 ? null : `${inFlight} / ${size}`,
      [say('platform.perSecond')]: rate === undefined ? null : Math.round(rate),
    };
  });
  return <PlainTable rows={rows} label={say('nav.channels')} />;
}
