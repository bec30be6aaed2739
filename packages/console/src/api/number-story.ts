// Everything that ever happened to a number, as one story in order.

import {
  type NumberEvent,
  type NumberHistory,
  orderEvents,
  type PostriderClient,
  type Receipt,
  type SubmitRecord,
} from '@postrider/client';
import { queryOptions } from '@tanstack/react-query';

export interface NumberStory {
  /** Newest first. */
  readonly events: readonly NumberEvent[];
  readonly receipts: readonly Receipt[];
  /** Messages under way, or of which it is not known whether they are. */
  readonly open: number;
  readonly replies: number;
  /** Since when it is on the opt-out list; null when it is not. */
  readonly optedOutAt: string | null;
  /** There is more than one look takes in. */
  readonly isCut: boolean;
  readonly texts: NumberTexts;
}

/** One query for all who ask for it: what was begun on the way to the page is what it shows. */
export function numberStoryQuery(client: PostriderClient, phone: string) {
  return queryOptions({
    queryKey: ['number', phone],
    queryFn: async ({ signal, client: cache }) => {
      const history = await client.number(phone, { signal });
      const newest = history.receipts[0];
      // Together with the story, so that nothing moves when they come.
      const texts = newest && (await cache.ensureQueryData(textsQuery(client, phone, newest)));
      return tellStory(history, collectTexts(texts?.items ?? []));
    },
  });
}

function tellStory(history: NumberHistory, texts: NumberTexts): NumberStory {
  const { receipts, submits, uplinks } = history;
  return {
    events: orderEvents(history),
    receipts,
    open: countOpen(submits, receipts),
    replies: uplinks.length,
    optedOutAt: history.opted_out_at,
    isCut: !history.is_complete,
    texts,
  };
}

/** As many receipts as a story has. */
const TEXTS = 100;

/** A text never changes, while its story is read every few seconds: texts are read anew only after another receipt. */
function textsQuery(client: PostriderClient, phone: string, { task_no: taskNo, seq }: Receipt) {
  return queryOptions({
    queryKey: ['number-texts', phone, taskNo, seq],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => client.receipts({ phone, include: 'text', pageSize: TEXTS, signal }).page(),
  });
}

function collectTexts(receipts: readonly Receipt[]): NumberTexts {
  const kept = receipts.filter(({ text }) => typeof text === 'string');
  const byReceipt = new Map(kept.map(({ task_no: taskNo, seq, text }) => [`${taskNo} ${seq}`, text ?? undefined]));
  const byTask = new Map(kept.map(({ task_no: taskNo, text }) => [taskNo, text ?? undefined]));
  return {
    ofReceipt: ({ task_no: taskNo, seq }) => byReceipt.get(`${taskNo} ${seq}`),
    ofTask: (taskNo) => byTask.get(taskNo ?? ''),
  };
}

/** The texts as they were sent. */
export interface NumberTexts {
  ofReceipt(receipt: Pick<Receipt, 'task_no' | 'seq'>): string | undefined;
  /** A task sends to a number once, unless the list had it twice. */
  ofTask(taskNo: string | null): string | undefined;
}

/** Messages that were handed over and have no receipt yet: by task and place in it, whatever the number of their parts. */
function countOpen(submits: readonly SubmitRecord[], receipts: readonly Receipt[]): number {
  const nameOf = ({ task_no: taskNo, seq }: { readonly task_no: string; readonly seq: number }) => `${taskNo} ${seq}`;
  const open = new Set(submits.map(nameOf));
  for (const receipt of receipts) open.delete(nameOf(receipt));
  return open.size;
}
