// What went through, and how much of it failed: live, or over the last minutes or hours as the service has kept them.

import type { Platform, PlatformHistory, PlatformRange } from '@postrider/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { KEPT_READINGS, rateBetween } from '../../../api/platform.js';
import { ShareChart, showShareLimit } from '../../../parts/charts/share-chart.js';
import { StackedBars } from '../../../parts/charts/stacked-bars.js';
import { Segments } from '../../../parts/controls/segments.js';
import { useFilters } from '../../../parts/forms/filters.js';
import { Card, CardGrid } from '../../../parts/layout/page.js';
import { FailureState } from '../../../parts/layout/states.js';
import { usePreferences, type Zone } from '../../../preferences.js';
import { useWords } from '../../../words/say.js';
import styles from '../operator.module.css';
import { FAILED_SHARE, failedShare } from './platform-limits.js';

/** What the upstream answered for a part, and the count of the platform for it. */
const OUTCOMES = ['accepted', 'unsent', 'unknown', 'rejected'] as const;
const COUNTS = { accepted: 'accepted', unsent: 'throttled', unknown: 'unknown', rejected: 'refused' } as const;
const RANGES = ['live', '15m', '1h', '6h', '24h'] as const;
type Range = (typeof RANGES)[number];
const MINUTES: Readonly<Record<PlatformRange, number>> = { '15m': 15, '1h': 60, '6h': 360, '24h': 1440 };
/** As many times below a chart as have room on a phone. */
const TIMES_SHOWN = 5;

interface Column {
  readonly key: string;
  readonly label: string;
  readonly title: string;
  readonly counts: Readonly<Record<(typeof COUNTS)[keyof typeof COUNTS], number>>;
}

const NOTHING = { accepted: 0, throttled: 0, unknown: 0, refused: 0 };

function useRange(usual: Range) {
  const filters = useFilters(['range'] as const);
  const range: Range = RANGES.find((name) => name === filters.values.range) ?? usual;
  return { range, choose: (value: string) => filters.set('range', value === usual ? null : value) };
}

/** How far the charts look back; in the address, as every filter. */
export function RangeChoice({ usual = 'live' }: { readonly usual?: Range }): ReactElement {
  const say = useWords();
  const { range, choose } = useRange(usual);
  return (
    <Segments
      label={say('platform.range')}
      value={range}
      onChange={choose}
      choices={RANGES.map((value) => ({ value, label: say(`platform.range.${value}`) }))}
    />
  );
}

interface PlatformChartsProps {
  readonly readings: readonly Platform[];
  /** Of this channel alone. */
  readonly channelNo?: string;
  readonly usual?: Range;
}

export function PlatformCharts({ readings, channelNo, usual = 'live' }: PlatformChartsProps): ReactElement {
  const say = useWords();
  const { zone } = usePreferences();
  const { range } = useRange(usual);
  const history = useHistory(range, channelNo);
  const columns = range === 'live' ? cutReadings(readings, zone, channelNo) : fillGaps(history.data, range, zone);
  const step = history.data?.range === range ? history.data.step_seconds / 60 : 1;
  const title = range === 'live' ? say('platform.throughput') : say('platform.throughputBy', { count: step });
  const failed = columns.map(({ counts, ...column }) => ({ ...column, share: failedShare(counts) }));
  return (
    <CardGrid columns={1}>
      <Card title={title}>
        {range !== 'live' && history.data === undefined && history.error !== null ? (
          <FailureState error={history.error} mayBeMissing />
        ) : (
          <StackedBars
            label={title}
            outcomes={OUTCOMES}
            buckets={columns.map(({ counts, ...column }) => ({
              ...column,
              counts: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, counts[COUNTS[outcome]]])),
            }))}
          />
        )}
      </Card>
      <Card
        title={say('platform.failed')}
        side={
          <span className={styles.limits}>
            {say('platform.limits', {
              watch: showShareLimit(FAILED_SHARE.watch),
              bad: showShareLimit(FAILED_SHARE.bad),
            })}
          </span>
        }
      >
        <ShareChart label={say('platform.failed')} columns={failed} {...FAILED_SHARE} />
      </Card>
    </CardGrid>
  );
}

function useHistory(range: Range, channelNo: string | undefined) {
  const operator = useOperator();
  return useQuery({
    queryKey: ['platform-history', range, channelNo],
    enabled: range !== 'live',
    refetchInterval: 20_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      operator.platformHistory(range === 'live' ? '1h' : range, {
        signal,
        ...(channelNo === undefined ? {} : { channelNo }),
      }),
  });
}

function showClock(ms: number, zone: Zone, hasSeconds: boolean): string {
  const timeZone = zone === 'utc' ? 'UTC' : undefined;
  const seconds = hasSeconds ? ({ second: '2-digit' } as const) : {};
  return new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...seconds, timeZone });
}

/** Every so many of them have a label, the last always among them. */
function labelSome(columns: readonly Column[]): Column[] {
  const every = Math.max(1, Math.ceil(columns.length / TIMES_SHOWN));
  return columns.map((column, index) => ({
    ...column,
    label: (columns.length - 1 - index) % every === 0 ? column.label : '',
  }));
}

function cutReadings(readings: readonly Platform[], zone: Zone, channelNo: string | undefined): Column[] {
  const columns = readings.slice(1).map((now, index): Column => {
    const before = readings[index] ?? now;
    const at = showClock(Date.parse(now.at), zone, true);
    const rate = (name: keyof typeof NOTHING) => Math.round(rateBetween(before, now, name, channelNo));
    const counts = {
      accepted: rate('accepted'),
      throttled: rate('throttled'),
      unknown: rate('unknown'),
      refused: rate('refused'),
    };
    return { key: now.at, label: index % 10 === 0 ? at : '', title: at, counts };
  });
  // Always as many columns, so that nothing moves while the first minutes fill up.
  const missing = Array.from({ length: KEPT_READINGS - 1 - columns.length }, (_, index): Column => {
    return { key: `empty ${index}`, label: '', title: '', counts: NOTHING };
  });
  return [...missing, ...columns];
}

/** A time without an item is one in which nothing went through. */
function fillGaps(history: PlatformHistory | undefined, range: PlatformRange, zone: Zone): Column[] {
  if (history === undefined || history.range !== range) return [];
  const stepMs = history.step_seconds * 1_000;
  const known = new Map(history.items.map((item) => [Date.parse(item.at), item]));
  const last = Math.floor(Date.parse(history.at) / stepMs) * stepMs;
  const length = (MINUTES[range] * 60_000) / stepMs;
  const columns = Array.from({ length }, (_, index): Column => {
    const ms = last - (length - 1 - index) * stepMs;
    const at = showClock(ms, zone, false);
    return { key: String(ms), label: at, title: at, counts: known.get(ms) ?? NOTHING };
  });
  return labelSome(columns);
}
