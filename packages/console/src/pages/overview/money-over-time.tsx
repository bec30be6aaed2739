import type { PostriderClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { addAmounts } from '../../api/money.js';
import type { StatisticsRow } from '../../api/statistics.js';
import { AmountChart } from '../../parts/amount-chart.js';
import { Card, CardGrid } from '../../parts/page.js';
import { Room } from '../../parts/room.js';
import { FailureState, LoadingState } from '../../parts/states.js';
import { useWords } from '../../words/say.js';
import { isOfSlot, type Slot } from './period.js';

/** A plot with its labels. */
const CHART_HEIGHT = 9.5;

interface MoneyOverTimeProps {
  readonly slots: readonly Slot[];
  readonly rows: readonly StatisticsRow[] | undefined;
  /** Why there are no rows. */
  readonly error: Error | null;
  readonly currency: string;
  /** Whose hours and days these are. */
  readonly zone: string;
}

/** What was spent in each slot, and what was available at the end of each. */
export function MoneyOverTime({ slots, rows, error, currency, zone }: MoneyOverTimeProps): ReactElement {
  const say = useWords();
  const balances = useQuery({ ...balancesQuery(useCustomer(), slots), refetchInterval: 60_000 });
  const pointOf = (slot: Slot, value: string, filter: Readonly<Record<string, string>> = {}) => {
    const { key, label, title, endMs } = slot;
    const search = { ...filter, start_at: key, end_at: new Date(endMs).toISOString() };
    return { key, label, title, value, rows: { to: '/ledger', search } };
  };
  return (
    <CardGrid columns={2}>
      <Card title={say('overview.spend')} side={<span className="soft">{zone}</span>}>
        <Room height={CHART_HEIGHT}>
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
              points={slots.map((slot) => {
                const charged = rows.filter(({ key }) => isOfSlot(key, slot)).map((row) => row.charged);
                return pointOf(slot, addAmounts('0', ...charged), { type: 'charge' });
              })}
            />
          )}
        </Room>
      </Card>
      <Card title={say('overview.balance')} side={<Link to="/ledger">{say('nav.ledger')}</Link>}>
        <Room height={CHART_HEIGHT}>
          {balances.data === undefined ? (
            balances.error === null ? (
              <LoadingState />
            ) : (
              <FailureState error={balances.error} />
            )
          ) : (
            <AmountChart
              label={say('overview.balance')}
              shape="line"
              currency={currency}
              points={slots.flatMap((slot, index) => {
                const value = balances.data[index];
                return value === undefined ? [] : [pointOf(slot, value)];
              })}
            />
          )}
        </Room>
      </Card>
    </CardGrid>
  );
}

/** The last ledger entry before the end of a slot says what was available then. Slots to come have no balance. */
export function balancesQuery(client: PostriderClient, slots: readonly Slot[]) {
  return queryOptions({
    queryKey: ['balances', slots[0]?.key, slots.length],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const ends = slots.map(({ endMs }) => new Date(endMs));
      const pages = await Promise.all(ends.map((endAt) => client.ledgers({ endAt, pageSize: 1, signal }).page()));
      return pages.map(({ items }) => items[0]?.available_after ?? '0');
    },
  });
}
