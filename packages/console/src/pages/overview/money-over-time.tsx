import type { PostriderClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import type { StatisticsRow } from '../../api/statistics.js';
import { addAmounts } from '../../format/money.js';
import { AmountChart } from '../../parts/charts/amount-chart.js';
import { Card, CardGrid } from '../../parts/layout/page.js';
import { Room } from '../../parts/layout/room.js';
import { FailureState, LoadingState } from '../../parts/layout/states.js';
import { useWords } from '../../words/say.js';
import { type Cut, isOfSlot, type Slot } from './period.js';

/** A plot with its labels. */
const CHART_HEIGHT = 9.5;

interface MoneyOverTimeProps {
  readonly cut: Cut;
  readonly rows: readonly StatisticsRow[] | undefined;
  /** Why there are no rows. */
  readonly error: Error | null;
  readonly currency: string;
  /** Whose hours and days these are. */
  readonly zone: string;
}

/** What was spent in each slot, and what was available at the end of each. */
export function MoneyOverTime({ cut, rows, error, currency, zone }: MoneyOverTimeProps): ReactElement {
  const say = useWords();
  const balances = useQuery({ ...balancesQuery(useCustomer(), cut), refetchInterval: 60_000 });
  const pointOf = (slot: Slot, value: string, filter: Readonly<Record<string, string>> = {}) => {
    const { key, label, title, endMs } = slot;
    const search = { ...filter, start_at: key, end_at: new Date(endMs).toISOString() };
    return { key, label, title, value, rows: { to: '/ledger' as const, search } };
  };
  return (
    <CardGrid columns={2}>
      <Card title={say('overview.spend')} side={<span className="soft">{zone}</span>}>
        <Room height={CHART_HEIGHT} isBelow>
          {rows === undefined ? (
            error === null ? (
              <LoadingState />
            ) : (
              <FailureState error={error} mayBeMissing />
            )
          ) : (
            <AmountChart
              label={say('overview.spend')}
              shape="columns"
              currency={currency}
              points={cut.slots.map((slot) => {
                const charged = rows.filter(({ key }) => isOfSlot(key, slot)).map((row) => row.charged);
                return pointOf(slot, addAmounts('0', ...charged), { type: 'charge' });
              })}
            />
          )}
        </Room>
      </Card>
      <Card title={say('overview.balance')} side={<Link to="/ledger">{say('nav.ledger')}</Link>}>
        <Room height={CHART_HEIGHT} isBelow>
          {balances.data === undefined ? (
            balances.error === null ? (
              <LoadingState />
            ) : (
              <FailureState error={balances.error} />
            )
          ) : (
            <AmountChart
              label={say('overview.balance')}
              shape="steps"
              currency={currency}
              points={cut.slots.flatMap((slot) => {
                const balance = balances.data.find(({ key }) => isOfSlot(key, slot));
                return balance === undefined ? [] : [pointOf(slot, balance.available)];
              })}
            />
          )}
        </Room>
      </Card>
    </CardGrid>
  );
}

export function balancesQuery(client: PostriderClient, { by, period }: Cut) {
  const { startAt, endAt } = period;
  return queryOptions({
    queryKey: ['balances', by, startAt.getTime(), endAt.getTime()],
    staleTime: 60_000,
    queryFn: async ({ signal }) => (await client.balances({ by, startAt, endAt, signal })).items,
  });
}
