// What was sent, charged, what it cost and what is left: by day, customer, channel, carrier, class or template.

import type { OperatorStatistic } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useOperator } from '../../../api/clients.js';
import { showCount } from '../../../format/count.js';
import { Segments } from '../../../parts/controls/segments.js';
import { useFilters } from '../../../parts/forms/filters.js';
import { Card, CardGrid, Page } from '../../../parts/layout/page.js';
import { FailureState, LoadingState, State } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Amount } from '../../../parts/values/amount.js';
import { type Say, sayValue, useWords } from '../../../words/say.js';
import { RANGES } from '../../overview/period.js';
import { ChannelLink, CustomerLink } from '../operator-links.js';
import {
  BREAKDOWNS,
  type Breakdown,
  lacksCosts,
  MEASURES,
  type Measure,
  type Traffic,
  trafficQuery,
} from './traffic.js';
import { TrafficChart } from './traffic-chart.js';

const MEASURE_WORDS = { numbers: 'sum.total', charged: 'sum.charged', margin: 'margins.margin' } as const;

export function MarginsPage(): ReactElement {
  const say = useWords();
  const filters = useFilters(['by', 'range', 'show'] as const);
  const by = BREAKDOWNS.find((one) => one === filters.values.by) ?? 'day';
  const range = RANGES.find((one) => one === filters.values.range) ?? '30d';
  const measure = MEASURES.find((one) => one === filters.values.show) ?? 'numbers';
  const { data, error } = useQuery({ ...trafficQuery(useOperator(), by, range), refetchInterval: 30_000 });
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
          <Segments
            label={say('margins.measure')}
            value={measure}
            onChange={(value) => filters.set('show', value)}
            choices={MEASURES.map((value) => ({ value, label: say(MEASURE_WORDS[value]) }))}
          />
        </>
      }
    >
      {data === undefined ? (
        <Card>{error === null ? <LoadingState /> : <FailureState error={error} mayBeMissing />}</Card>
      ) : (
        <Margins by={by} measure={measure} traffic={data} />
      )}
    </Page>
  );
}

interface MarginsProps {
  readonly by: Breakdown;
  readonly measure: Measure;
  readonly traffic: Traffic;
}

function Margins({ by, measure, traffic }: MarginsProps): ReactElement {
  const say = useWords();
  const { compared, lacking } = traffic;
  const currencies = [...new Set(compared.map(({ item }) => item.currency))];
  const words = { measure: say(MEASURE_WORDS[measure]), by: say(`margins.by.${by}`).toLowerCase() };
  if (compared.length === 0) {
    return (
      <Card>
        <State icon="ledger" title={say('overview.nothing')} />
      </Card>
    );
  }
  return (
    <CardGrid columns={1}>
      {currencies.map((currency) => {
        const title = say(currencies.length > 1 || measure !== 'numbers' ? 'margins.chartOf' : 'margins.chart', {
          ...words,
          currency,
        });
        const isKept = by !== 'template' || measure !== 'margin';
        return (
          <Card key={currency} title={title}>
            {isKept ? (
              <TrafficChart
                label={title}
                by={by}
                measure={measure}
                compared={compared.filter(({ item }) => item.currency === currency)}
                traffic={traffic}
                nameOf={({ item }) => nameOf(say, by, item)}
              />
            ) : (
              <p className="soft">{say('margins.notKept')}</p>
            )}
          </Card>
        );
      })}
      <Card>
        <MarginsTable by={by} traffic={traffic} />
        {lacking.size > 0 && by !== 'template' && (
          <p className="soft">
            {say('margins.lacking')}{' '}
            {[...lacking.keys()].map((channelNo) => (
              <span key={channelNo}>
                <ChannelLink channelNo={channelNo} />{' '}
              </span>
            ))}
          </p>
        )}
      </Card>
    </CardGrid>
  );
}

function nameOf(say: Say, by: Breakdown, { key, name }: OperatorStatistic): ReactNode {
  if (key === null) return say('margins.none');
  switch (by) {
    case 'customer':
      return <CustomerLink customerNo={key} />;
    case 'channel':
      return <ChannelLink channelNo={key} />;
    case 'class':
      return sayValue(say, 'class', key);
    case 'template':
      return <span title={key}>{name ?? key}</span>;
    default:
      return key;
  }
}

function MarginsTable({ by, traffic }: Pick<MarginsProps, 'by' | 'traffic'>): ReactElement {
  const say = useWords();
  const amount = (value: string | null) => value !== null && <Amount value={value} />;
  return (
    <PlainTable
      label={say('nav.margins')}
      none={say('overview.nothing')}
      rows={traffic.compared.map(({ item }) => {
        const { currency, numbers, parts, delivered, charged, refunded, cost, margin } = item;
        const noCosts = lacksCosts(item, by, traffic) && (
          <span key="none" className="soft">
            {say('margins.noCosts')}
          </span>
        );
        return {
          [say(`margins.by.${by}`)]: <span key="key">{nameOf(say, by, item)}</span>,
          [say('sum.total')]: showCount(numbers),
          [say('sum.delivered')]: showCount(delivered),
          [say('sum.parts')]: showCount(parts),
          [say('sum.charged')]: <Amount value={charged} />,
          [say('money.refunded')]: amount(refunded),
          [say('margins.cost')]: noCosts || amount(cost),
          [say('margins.margin')]: noCosts || amount(margin),
          [say('customers.currency')]: currency,
        };
      })}
      figures={[
        ...[say('sum.total'), say('sum.delivered'), say('sum.parts'), say('sum.charged')],
        ...[say('money.refunded'), say('margins.cost'), say('margins.margin')],
      ]}
    />
  );
}
