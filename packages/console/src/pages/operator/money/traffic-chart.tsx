import type { ReactElement, ReactNode } from 'react';
import { showCount } from '../../../format/count.js';
import { showAmount, toDecimal } from '../../../format/money.js';
import { roundUpAmount } from '../../../parts/charts/amount-chart.js';
import { ComparedBars } from '../../../parts/charts/compared-bars.js';
import { ComparedColumns } from '../../../parts/charts/compared-columns.js';
import { useWords } from '../../../words/say.js';
import {
  type Breakdown,
  type Compared,
  lacksCosts,
  type Measure,
  measureOf,
  showChange,
  showValue,
  type Traffic,
} from './traffic.js';

const SHOWN = 12;
/** As many labels below the columns as have room on a phone. */
const LABELS = 6;

interface TrafficChartProps {
  readonly label: string;
  readonly by: Breakdown;
  readonly measure: Measure;
  /** Of one currency. */
  readonly compared: readonly Compared[];
  readonly traffic: Traffic;
  readonly nameOf: (compared: Compared) => ReactNode;
}

export function TrafficChart({ label, by, measure, compared, traffic, nameOf }: TrafficChartProps): ReactElement {
  const say = useWords();
  const values = compared.flatMap(({ item, before }) => [measureOf(item, measure), measureOf(before, measure)]);
  const largest = values.reduce<bigint>((most, value) => (value !== undefined && value > most ? value : most), 0n);
  if (by === 'day') {
    const top = measure === 'numbers' ? roundUpCount(largest) : roundUpAmount(largest);
    const every = Math.ceil(compared.length / LABELS);
    return (
      <ComparedColumns
        label={label}
        axis={[top, top / 2n].map((value) => (measure === 'numbers' ? showCount(Number(value)) : showTop(value)))}
        columns={compared.map(({ item, before }, index) => ({
          key: item.key ?? '',
          label: (compared.length - 1 - index) % every === 0 ? (item.key ?? '').slice(5) : '',
          title: item.key ?? say('margins.none'),
          now: shareOf(measureOf(item, measure), top),
          before: shareOf(measureOf(before, measure), top),
          shownNow:
            lacksCosts(item, by, traffic) && measure === 'margin' ? say('margins.noCosts') : showValue(item, measure),
          shownBefore: before === undefined ? '–' : showValue(before, measure),
        }))}
      />
    );
  }
  const ordered = compared.toSorted((one, other) =>
    compareBigints(measureOf(other.item, measure), measureOf(one.item, measure)),
  );
  return (
    <>
      <ComparedBars
        bars={ordered.slice(0, SHOWN).map((one) => {
          const { item, before } = one;
          const now = measureOf(item, measure) ?? 0n;
          const old = measureOf(before, measure);
          const isUnknown = measure === 'margin' && lacksCosts(item, by, traffic);
          return {
            key: item.key ?? '',
            name: nameOf(one),
            now: isUnknown
              ? { share: 0, shown: say('margins.noCosts') }
              : { share: shareOf(now, largest), shown: showValue(item, measure) },
            before:
              before === undefined || isUnknown
                ? undefined
                : { share: shareOf(old, largest), shown: showValue(before, measure) },
            change: isUnknown ? undefined : showChange(now, old),
          };
        })}
      />
      {compared.length > SHOWN && <p className="soft">{say('margins.top', { count: SHOWN })}</p>}
    </>
  );
}

function compareBigints(one = 0n, other = 0n): number {
  return one < other ? -1 : Number(one > other);
}

/** For drawing only: exact to a ten-thousandth of the largest. A loss has no bar; its figure says it. */
function shareOf(value: bigint | undefined, largest: bigint): number {
  if (value === undefined || value <= 0n || largest === 0n) return 0;
  return Number((value * 10_000n) / largest) / 10_000;
}

function showTop(millionths: bigint): string {
  return showAmount(toDecimal(millionths)).replace(/\.00$/, '');
}

/** Counts have the axis of amounts, and no cents. */
function roundUpCount(count: bigint): bigint {
  const top = roundUpAmount(count * 1_000_000n) / 1_000_000n;
  return top < 4n ? 4n : top + (top % 2n);
}
