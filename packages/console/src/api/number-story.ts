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
  /** By the number of the task. */
  readonly templateNos: ReadonlyMap<string, string | null>;
}

/** One query for all who ask for it: what was begun on the way to the page is what it shows. */
export function numberStoryQuery(client: PostriderClient, phone: string) {
  return queryOptions({
    queryKey: ['number', phone],
    queryFn: async ({ signal }) => tellStory(await client.number(phone, { signal })),
  });
}

function tellStory(history: NumberHistory): NumberStory {
  const { receipts, submits, uplinks, tasks } = history;
  return {
    events: orderEvents(history),
    receipts,
    open: countOpen(submits, receipts),
    replies: uplinks.length,
    optedOutAt: history.opted_out_at,
    isCut: !history.is_complete,
    templateNos: new Map(tasks.map(({ task_no: taskNo, template_no: templateNo }) => [taskNo, templateNo])),
  };
}

/** Messages that were handed over and have no receipt yet: by task and place in it, whatever the number of their parts. */
function countOpen(submits: readonly SubmitRecord[], receipts: readonly Receipt[]): number {
  const nameOf = ({ task_no: taskNo, seq }: { readonly task_no: string; readonly seq: number }) => `${taskNo} ${seq}`;
  const open = new Set(submits.map(nameOf));
  for (const receipt of receipts) open.delete(nameOf(receipt));
  return open.size;
}
