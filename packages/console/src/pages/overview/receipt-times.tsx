import type { PostriderClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { ShareBars } from '../../parts/charts/share-bars.js';
import { FailureState, LoadingState, State } from '../../parts/layout/states.js';
import { RowLink } from '../../parts/tables/row-link.js';
import type { Word } from '../../words/all-words.js';
import { useWords } from '../../words/say.js';

const STEPS: readonly { readonly word: Word; readonly underMs: number }[] = [
  { word: 'overview.under1s', underMs: 1_000 },
  { word: 'overview.under10s', underMs: 10_000 },
  { word: 'overview.under1min', underMs: 60_000 },
  { word: 'overview.under10min', underMs: 600_000 },
  { word: 'overview.longer', underMs: Number.POSITIVE_INFINITY },
];

const LOOKED_AT = 100;
/** Tasks that are not among the newest are asked for one by one, so many at most. */
const MAX_OLDER = 5;

/** Of what was delivered: a cancelled task would fill all places. Receipts do not say when their task was accepted; the newest tasks do. */
async function readTimes(client: PostriderClient, signal: AbortSignal): Promise<readonly number[]> {
  const [receipts, tasks] = await Promise.all([
    client.receipts({ result: 'delivered', pageSize: LOOKED_AT, signal }).page(),
    client.tasks({ pageSize: LOOKED_AT, signal }).page(),
  ]);
  const acceptedAt = new Map(tasks.items.map((task) => [task.task_no, task.created_at]));
  const older = new Set(receipts.items.map((receipt) => receipt.task_no).filter((taskNo) => !acceptedAt.has(taskNo)));
  for (const task of await Promise.all([...older].slice(0, MAX_OLDER).map((no) => client.task(no, { signal })))) {
    acceptedAt.set(task.task_no, task.created_at);
  }
  return receipts.items.flatMap(({ task_no: taskNo, received_at: receivedAt }) => {
    const from = acceptedAt.get(taskNo);
    return from === undefined ? [] : [Date.parse(receivedAt) - Date.parse(from)];
  });
}

export function receiptTimesQuery(client: PostriderClient) {
  return queryOptions({ queryKey: ['receipt-times'], queryFn: ({ signal }) => readTimes(client, signal) });
}

/** How long the last hundred numbers took from the acceptance of their task to their receipt. */
export function ReceiptTimes(): ReactElement {
  const say = useWords();
  const { data: times, error } = useQuery({ ...receiptTimesQuery(useCustomer()), refetchInterval: 10_000 });
  if (times === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  if (times.length === 0) return <State icon="clock" title={say('overview.nothing')} />;
  const bars = STEPS.map(({ word, underMs }, index) => {
    const overMs = STEPS[index - 1]?.underMs ?? Number.NEGATIVE_INFINITY;
    const count = times.filter((time) => time >= overMs && time < underMs).length;
    return { key: word, name: say(word), share: count / times.length, value: String(count), color: 'var(--accent)' };
  });
  return (
    <>
      <ShareBars bars={bars} />
      <p className="soft">
        <RowLink to="/receipts">{say('overview.receiptTimesNote', { count: times.length })}</RowLink>
      </p>
    </>
  );
}
