// What was charged, what it cost and what is left, by day, customer, channel, carrier or class.

import type { OperatorClient, OperatorStatistic } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useOperator } from '../../../api/clients.js';
import { showCount } from '../../../format/count.js';
import { Segments } from '../../../parts/controls/segments.js';
import { useFilters } from '../../../parts/forms/filters.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Amount } from '../../../parts/values/amount.js';
import { sayValue, useWords } from '../../../words/say.js';
import { RANGES, type Range } from '../../overview/period.js';
import { ChannelLink, CustomerLink } from '../operator-links.js';

const BREAKDOWNS = ['day', 'customer', 'channel', 'firm', 'class'] as const;
type Breakdown = (typeof BREAKDOWNS)[number];

const HOUR_MS = 3_600_000;
const HOURS: Readonly<Record<Range, number>> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 };

function marginsQuery(operator: OperatorClient, by: Breakdown, range: Range) {
  const endMs = (Math.floor(Date.now() / HOUR_MS) + 1) * HOUR_MS;
  const period = { startAt: new Date(endMs - HOURS[range] * HOUR_MS), endAt: new Date(endMs) };
  return queryOptions({
    queryKey: ['margins', by, range, endMs],
    queryFn: async ({ signal }) => (await operator.statistics({ by, ...period, signal })).items,
  });
}

export function MarginsPage(): ReactElement {
  const say = useWords();
  const filters = useFilters(['by', 'range'] as const);
  const by = BREAKDOWNS.find((one) => one === filters.values.by) ?? 'day';
  const range = RANGES.find((one) => one === filters.values.range) ?? '30d';
  const { data, error } = useQuery({ ...marginsQuery(useOperator(), by, range), refetchInterval: 30_000 });
  return (
    <Page
      title={say('nav.margins')}
      lead={say('margins.lead')}
      actions={
        <>
          <Segments
            label={say('margins.by')}
            value={by}
            onChange={(value) => filters.set('by', value)}
            choices={BREAKDOWNS.map((value) => ({ value, label: say(`margins.by.${value}`) }))}
          />
          <Segments
            label={say('overview.range')}
            value={range}
            onChange={(value) => filters.set('range', value)}
            choices={RANGES.map((value) => ({ value, label: say(`overview.range.${value}`) }))}
          />
        </>
      }
    >
      <Card>
        {data === undefined ? (
          error === null ? (
            <LoadingState />
          ) : (
            <FailureState error={error} mayBeMissing />
          )
        ) : (
          <Margins by={by} items={data} />
        )}
      </Card>
    </Page>
  );
}

function Margins({
  by,
  items,
}: {
  readonly by: Breakdown;
  readonly items: readonly OperatorStatistic[];
}): ReactElement {
  const say = useWords();
  const shown: Readonly<Record<Breakdown, (key: string) => ReactNode>> = {
    day: (key) => key,
    customer: (key) => <CustomerLink customerNo={key} />,
    channel: (key) => <ChannelLink channelNo={key} />,
    firm: (key) => key,
    class: (key) => sayValue(say, 'class', key),
  };
  return (
    <PlainTable
      label={say('nav.margins')}
      none={say('overview.nothing')}
      rows={items.map(({ key, currency, numbers, parts, delivered, charged, refunded, cost, margin }) => ({
        [say(`margins.by.${by}`)]: key === null ? null : shown[by](key),
        [say('sum.total')]: showCount(numbers),
        [say('sum.delivered')]: showCount(delivered),
        [say('sum.parts')]: showCount(parts),
        [say('sum.charged')]: <Amount value={charged} />,
        [say('money.refunded')]: <Amount value={refunded} />,
        [say('margins.cost')]: <Amount value={cost} />,
        [say('margins.margin')]: <Amount value={margin} />,
        [say('customers.currency')]: currency,
      }))}
      figures={[
        ...[say('sum.total'), say('sum.delivered'), say('sum.parts'), say('sum.charged')],
        ...[say('money.refunded'), say('margins.cost'), say('margins.margin')],
      ]}
    />
  );
}
