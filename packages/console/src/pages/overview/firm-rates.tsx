import type { PostriderClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { useFirmNames } from '../../api/firms.js';
import { NO_FIRM } from '../../api/lists.js';
import { deliveryRate, type Period, readStatistics, type StatisticsRow } from '../../api/statistics.js';
import { fillOf } from '../../design/outcomes.js';
import { ShareBars } from '../../parts/charts/share-bars.js';
import { FailureState, LoadingState, State } from '../../parts/layout/states.js';
import { RowLink } from '../../parts/tables/row-link.js';
import { useWords } from '../../words/say.js';

export function firmRatesQuery(client: PostriderClient, period: Period) {
  return queryOptions({
    queryKey: ['statistics', 'firm', period.startAt.getTime(), period.endAt.getTime()],
    queryFn: ({ signal }) => readStatistics(client, 'firm', period, signal),
  });
}

interface FirmRatesProps {
  readonly period: Period;
  /** The period as filters. */
  readonly span: Readonly<Record<string, string>>;
}

/** Which share arrives, firm by firm, the busiest first. */
export function FirmRates({ period, span }: FirmRatesProps): ReactElement {
  const say = useWords();
  const linkDelivered = (shown: string, row: StatisticsRow) =>
    row.delivered === 0 ? (
      shown
    ) : (
      <RowLink to="/receipts" search={{ firm: row.key ?? NO_FIRM, result: 'delivered', ...span }}>
        {shown}
      </RowLink>
    );
  const { data, error } = useQuery({ ...firmRatesQuery(useCustomer(), period), refetchInterval: 10_000 });
  const nameFirm = useFirmNames();
  if (data === undefined)
    return error === null ? <LoadingState lines={2} /> : <FailureState error={error} mayBeMissing />;
  // A rate is of what was sent: what went to no carrier, or was cancelled, has none.
  const sent = data.filter((row) => row.handed_over > 0);
  if (sent.length === 0) return <State icon="firms" title={say('overview.nothing')} />;
  return (
    <ShareBars
      bars={sent
        .sort((one, other) => other.handed_over - one.handed_over)
        .map((row) => ({
          key: row.key ?? '',
          name: row.key === null ? say('overview.noFirm') : nameFirm(row.key),
          note: say('overview.rateNote', { count: row.delivered, of: row.handed_over }),
          share: row.delivered / row.handed_over,
          value: linkDelivered(`${(deliveryRate(row) ?? 0).toFixed(1)} %`, row),
          color: fillOf('delivered'),
        }))}
    />
  );
}
