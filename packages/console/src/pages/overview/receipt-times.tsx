import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { ShareBars } from '../../parts/share-bars.js';
import { FailureState, LoadingState, State } from '../../parts/states.js';
import type { Word } from '../../words/all-words.js';
import { useWords } from '../../words/say.js';

const STEPS: readonly { readonly word: Word; readonly underMs: number }[] = [
  { word: 'overview.under1s', underMs: 1_000 },
  { word: 'overview.under10s', underMs: 10_000 },
  { word: 'overview.under1min', underMs: 60_000 },
  { word: 'overview.under10min', underMs: 600_000 },
  { word: 'overview.longer', underMs: Number.POSITIVE_INFINITY },
];

/** How long the last hundred numbers took from being handed over to their receipt. */
export function ReceiptTimes(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const { data, error } = useQuery({
    queryKey: ['receipt-times'],
    queryFn: ({ signal }) => client.receipts({ pageSize: 100, signal }).page(),
    refetchInterval: 10_000,
  });
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  const times = data.items.flatMap(({ submitted_at: from, received_at: until }) =>
    from === null ? [] : [Date.parse(until) - Date.parse(from)],
  );
  if (times.length === 0) return <State icon="clock" title={say('overview.nothing')} />;
  const bars = STEPS.map(({ word, underMs }, index) => {
    const overMs = STEPS[index - 1]?.underMs ?? Number.NEGATIVE_INFINITY;
    const count = times.filter((time) => time >= overMs && time < underMs).length;
    return { key: word, name: say(word), share: count / times.length, value: String(count), color: 'var(--accent)' };
  });
  return (
    <>
      <ShareBars bars={bars} />
      <p className="soft">{say('overview.receiptTimesNote', { count: times.length })}</p>
    </>
  );
}
