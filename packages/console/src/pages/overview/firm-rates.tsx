import type { PostriderClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { useFirmNames } from '../../api/firms.js';
import { deliveryRate, type Period, readStatistics } from '../../api/statistics.js';
import { fillOf } from '../../design/outcomes.js';
import { ShareBars } from '../../parts/share-bars.js';
import { FailureState, LoadingState, State } from '../../parts/states.js';
import { useWords } from '../../words/say.js';

export function firmRatesQuery(client: PostriderClient, period: Period) {
  return queryOptions({
    queryKey: ['statistics', 'firm', period.startAt.getTime(), period.endAt.getTime()],
    queryFn: ({ signal }) => readStatistics(client, 'firm', period, signal),
  });
}

/** Which share arrives, firm by firm, the busiest first. */
export function FirmRates({ period }: { readonly period: Period }): ReactElement {
  const say = useWords();
  const { data, error } = useQuery({ ...firmRatesQuery(useCustomer(), period), refetchInterval: 10_000 });
  const nameFirm = useFirmNames();
  if (data === undefined)
    return error === null ? <LoadingState lines={2} /> : <FailureState error={error} mayBeMissing />;
  if (data.length === 0) return <State icon="firms" title={say('overview.nothing')} />;
  return (
    <ShareBars
      bars={[...data]
        .sort((one, other) => other.total - one.total)
        .map((row) => ({
          key: row.key ?? '',
          name: row.key === null ? say('overview.noFirm') : nameFirm(row.key),
          note: say('state.numbers', { count: row.total }),
          share: row.total === 0 ? 0 : row.delivered / row.total,
          value: `${(deliveryRate(row) ?? 0).toFixed(1)} %`,
          color: fillOf('delivered'),
        }))}
    />
  );
}
