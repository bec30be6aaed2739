// Sends, delivery rate, spend and balance over time, and what needs attention.

import type { PostriderClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactElement, useMemo } from 'react';
import { accountQuery, useAccount } from '../../api/account.js';
import { useCustomer } from '../../api/clients.js';
import { mayCall, useMayCall } from '../../api/customer-scopes.js';
import { firmsQuery } from '../../api/firms.js';
import { queryClient } from '../../api/query-client.js';
import { deliveryRate, readStatistics, sumCounts } from '../../api/statistics.js';
import { templatesQuery } from '../../api/templates.js';
import { showCount } from '../../format/count.js';
import { nameZone } from '../../format/moment.js';
import { addAmounts, isZero, showAmount } from '../../format/money.js';
import { StackedBars } from '../../parts/charts/stacked-bars.js';
import { ButtonLink } from '../../parts/controls/button.js';
import { Segments } from '../../parts/controls/segments.js';
import { useFilters } from '../../parts/forms/filters.js';
import { Card, CardGrid, Page } from '../../parts/layout/page.js';
import { Room } from '../../parts/layout/room.js';
import { FailureState, LoadingState, State } from '../../parts/layout/states.js';
import { type Tile, Tiles } from '../../parts/layout/tiles.js';
import { Amount } from '../../parts/values/amount.js';
import { currentPreferences, usePreferences } from '../../preferences.js';
import { currentSessions, useReadOnly } from '../../session/session.js';
import { useWords } from '../../words/say.js';
import { Attention, attentionQuery, useAttention } from './attention.js';
import { AmountChange, beforeQuery, CountChange, RateChange, useBefore } from './before.js';
import { FirmRates, firmRatesQuery } from './firm-rates.js';
import { FirstSteps } from './first-steps.js';
import { balancesQuery, MoneyOverTime } from './money-over-time.js';
import { type Cut, cutPeriod, isOfSlot, RANGES, type Range } from './period.js';
import { ReceiptTimes, receiptTimesQuery } from './receipt-times.js';
import { useWarnings, warningsQuery } from './warnings.js';

const OUTCOMES = ['delivered', 'cancelled', 'expired', 'undelivered', 'rejected'] as const;
/** A plot with its labels and its legend; five bars with a note. */
const CHART_HEIGHT = 14.75;
const BARS_HEIGHT = 11.5;
const MINUTE_MS = 60_000;

/** To the minute, so that what is asked for does not change with every drawing. */
function currentMinute(): number {
  return Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
}

function rangeOf(chosen: string | undefined): Range {
  return RANGES.find((one) => one === chosen) ?? '24h';
}

function sentQuery(client: PostriderClient, range: Range, { by, period }: Cut) {
  return queryOptions({
    queryKey: ['statistics', by, range, period.endAt.getTime()],
    queryFn: ({ signal }) => readStatistics(client, by, period, signal),
  });
}

/** On the way to the page: everything that it shows. */
export async function readOverview(client: PostriderClient, search: { readonly range?: string }): Promise<unknown> {
  const { language, zone } = currentPreferences();
  const range = rangeOf(search.range);
  const nowMs = currentMinute();
  const hasMoney = mayCall(currentSessions().customer, 'finance');
  const account = hasMoney ? await queryClient.ensureQueryData(accountQuery(client)).catch(() => undefined) : undefined;
  const cut = cutPeriod(range, nowMs, language, zone, account?.billing_time_zone ?? 'UTC');
  return Promise.all([
    queryClient.ensureQueryData(sentQuery(client, range, cut)),
    queryClient.ensureQueryData(attentionQuery(client)),
    queryClient.ensureQueryData(warningsQuery(client)),
    queryClient.ensureQueryData(beforeQuery(client, cut.period, nowMs, hasMoney)),
    queryClient.ensureQueryData(firmRatesQuery(client, cut.period)),
    queryClient.ensureQueryData(receiptTimesQuery(client)),
    hasMoney && queryClient.ensureQueryData(balancesQuery(client, cut)),
    queryClient.ensureQueryData(templatesQuery(client)),
    queryClient.ensureQueryData(firmsQuery(client)),
  ]);
}

export function OverviewPage(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const isReadOnly = useReadOnly();
  const maySend = useMayCall('send') && !isReadOnly;
  const hasMoney = useMayCall('finance');
  const { language, zone } = usePreferences();
  const filters = useFilters(['range'] as const);
  const range = rangeOf(filters.values.range);
  const nowMs = currentMinute();
  const account = useAccount();
  const billingZone = account.data?.billing_time_zone ?? 'UTC';
  const cut = useMemo(
    () => cutPeriod(range, nowMs, language, zone, billingZone),
    [range, nowMs, language, zone, billingZone],
  );
  const statistics = useQuery({ ...sentQuery(client, range, cut), refetchInterval: 5_000 });
  const before = useBefore(cut.period, nowMs, hasMoney);
  const attention = useAttention();
  const warnings = useWarnings();
  const shownZone = cut.by === 'day' ? billingZone : nameZone(zone, nowMs);
  const rows = statistics.data;
  const sums = rows && sumCounts(rows);
  const span = { start_at: cut.period.startAt.toISOString(), end_at: cut.period.endAt.toISOString() };
  const linkRows = (shown: number | string, filter: Readonly<Record<string, string>> = {}) => (
    <Link to="/receipts" search={{ ...filter, ...span }}>
      {typeof shown === 'number' ? showCount(shown) : shown}
    </Link>
  );
  const rate = sums && deliveryRate(sums);
  const spent = rows && addAmounts('0', ...rows.map(({ charged }) => charged));
  const { currency, available, frozen } = account.data ?? {};
  const linkEntries = (amount: string, filter: Readonly<Record<string, string>> = {}) => (
    <Link to="/ledger" search={filter}>
      <Amount value={amount} currency={currency ?? ''} isShort />
    </Link>
  );
  const moneyTiles: readonly Tile[] = [
    {
      name: say('overview.spent'),
      value: spent === undefined ? '–' : linkEntries(spent, { type: 'charge', ...span }),
      change: <AmountChange now={spent} before={before.data?.spent} />,
    },
    {
      name: say('money.available'),
      value: available === undefined ? '–' : linkEntries(available),
      note: frozen && (
        <>
          {say('money.reserved')} <Amount value={frozen} isShort />
        </>
      ),
      change:
        before.data &&
        !isZero(before.data.available) &&
        say('overview.before', { value: showAmount(before.data.available) }),
    },
  ];
  return (
    <Page
      title={say('nav.overview')}
      lead={say('overview.lead')}
      actions={
        <>
          <Segments
            label={say('overview.range')}
            value={range}
            onChange={(value) => filters.set('range', value)}
            choices={RANGES.map((value) => ({ value, label: say(`overview.range.${value}`) }))}
          />
          {maySend && <ButtonLink to="/compose">{say('nav.compose')}</ButtonLink>}
        </>
      }
    >
      <Tiles
        tiles={[
          {
            name: say('overview.sent'),
            value: sums === undefined ? '–' : linkRows(sums.total),
            note:
              sums !== undefined && sums.cancelled > 0
                ? say('overview.cancelledNote', { count: sums.cancelled })
                : say('overview.sentNote'),
            change: <CountChange now={sums?.total} before={before.data?.sums.total} />,
          },
          {
            name: say('overview.rate'),
            value: rate === undefined ? '–' : linkRows(`${rate.toFixed(1)} %`, { result: 'delivered' }),
            note: sums && say('overview.rateNote', { count: sums.delivered, of: sums.handed_over }),
            change: <RateChange now={rate} before={before.data && deliveryRate(before.data.sums)} />,
          },
          ...(hasMoney ? moneyTiles : []),
        ]}
      />
      {attention.isPending || warnings.isPending ? (
        <LoadingState />
      ) : (
        <>
          <Attention attention={attention} warnings={warnings.data} />
          {warnings.data?.firstSteps !== undefined && maySend && <FirstSteps done={warnings.data.firstSteps} />}
          <CardGrid columns={1}>
            <Card title={say('overview.outcomes')} side={<span className="soft">{shownZone}</span>}>
              <Room height={CHART_HEIGHT}>
                {statistics.error !== null && rows === undefined ? (
                  <FailureState error={statistics.error} mayBeMissing />
                ) : rows === undefined ? (
                  <LoadingState lines={6} />
                ) : sums?.total === 0 ? (
                  <State icon="overview" title={say('overview.nothing')} hint={say('overview.nothingHint')} />
                ) : (
                  <StackedBars
                    label={say('overview.outcomes')}
                    outcomes={OUTCOMES}
                    showTotal={(outcome) => {
                      const result = OUTCOMES.find((one) => one === outcome);
                      if (result === undefined || sums === undefined) return undefined;
                      return linkRows(sums[result], { result });
                    }}
                    buckets={cut.slots.map((slot) => {
                      const counts = { delivered: 0, cancelled: 0, expired: 0, undelivered: 0, rejected: 0 };
                      for (const row of rows.filter(({ key }) => isOfSlot(key, slot))) {
                        for (const outcome of OUTCOMES) counts[outcome] += row[outcome];
                      }
                      const spoken = OUTCOMES.map((outcome) => `${counts[outcome]} ${say(`outcome.${outcome}`)}`).join(
                        ', ',
                      );
                      const search = { start_at: slot.key, end_at: new Date(slot.endMs).toISOString() };
                      return {
                        key: slot.key,
                        label: slot.label,
                        title: `${slot.title}: ${spoken}`,
                        counts,
                        rows: { to: '/receipts', search },
                      };
                    })}
                  />
                )}
              </Room>
            </Card>
          </CardGrid>
          <CardGrid columns={2}>
            <Card title={say('overview.byFirm')}>
              <FirmRates period={cut.period} span={span} />
            </Card>
            <Card title={say('overview.receiptTimes')}>
              <Room height={BARS_HEIGHT}>
                <ReceiptTimes />
              </Room>
            </Card>
          </CardGrid>
          {hasMoney && (
            <MoneyOverTime cut={cut} rows={rows} error={statistics.error} currency={currency ?? ''} zone={shownZone} />
          )}
        </>
      )}
    </Page>
  );
}
