// Everything that ever happened to a number, from five lists, as one story in order.

import type { DeliveryRecord, PostriderClient, Receipt, SubmitRecord, Uplink } from '@postrider/client';
import { queryOptions } from '@tanstack/react-query';

export type NumberEvent =
  | { readonly kind: 'submitted'; readonly at: string; readonly record: SubmitRecord }
  | { readonly kind: 'unanswered'; readonly at: string; readonly record: SubmitRecord }
  | { readonly kind: 'answered'; readonly at: string; readonly record: SubmitRecord }
  | { readonly kind: 'reported'; readonly at: string; readonly record: DeliveryRecord }
  | { readonly kind: 'receipt'; readonly at: string; readonly record: Receipt }
  | { readonly kind: 'reply'; readonly at: string; readonly record: Uplink };

export interface NumberHistory {
  /** Newest first. */
  readonly events: readonly NumberEvent[];
  readonly receipts: readonly Receipt[];
  /** Messages under way, or of which it is not known whether they are. */
  readonly open: number;
  readonly replies: number;
  /** Since when it is on the opt-out list; null when it is not, undefined when the service does not say. */
  readonly optedOutAt: string | null | undefined;
  /** There is more than one look takes in. */
  readonly isCut: boolean;
}

const LOOK = 100;

/** What happens in the same millisecond is told in the order in which it must have happened. */
const ORDER: Record<NumberEvent['kind'], number> = {
  submitted: 0,
  unanswered: 1,
  answered: 2,
  reported: 3,
  receipt: 4,
  reply: 5,
};

export function compareEvents(one: NumberEvent, other: NumberEvent): number {
  return other.at.localeCompare(one.at) || ORDER[other.kind] - ORDER[one.kind];
}

/** One query for all who ask for it: what the find box has begun to read is what the page shows. */
export function numberHistoryQuery(client: PostriderClient, phone: string) {
  return queryOptions({
    queryKey: ['number', phone],
    queryFn: ({ signal }) => readNumberHistory(client, phone, signal),
  });
}

async function readNumberHistory(client: PostriderClient, phone: string, signal: AbortSignal): Promise<NumberHistory> {
  const filters = { phone, pageSize: LOOK, signal };
  const [receipts, submits, deliveries, uplinks, optedOutAt] = await Promise.all([
    client.receipts(filters).page(),
    client.submits(filters).page(),
    client.deliveries(filters).page(),
    client.uplinks(filters).page(),
    readOptedOutAt(client, phone, signal),
  ]);
  const events: NumberEvent[] = [
    ...submits.items.map((record) => ({ kind: 'submitted' as const, at: record.submitted_at, record })),
    ...submits.items.flatMap(tellAnswer),
    ...deliveries.items.map((record) => ({ kind: 'reported' as const, at: record.received_at, record })),
    ...receipts.items.map((record) => ({ kind: 'receipt' as const, at: record.received_at, record })),
    ...uplinks.items.map((record) => ({ kind: 'reply' as const, at: record.received_at, record })),
  ];
  return {
    events: events.sort(compareEvents),
    receipts: receipts.items,
    open: countOpen(submits.items, receipts.items),
    replies: uplinks.total,
    optedOutAt,
    isCut: [receipts, submits, deliveries, uplinks].some((page) => page.next_cursor !== null),
  };
}

/** Without an answer it is not known whether the upstream has the part, and that is a part of the story. */
function tellAnswer(record: SubmitRecord): NumberEvent[] {
  if (record.answered_at !== null) return [{ kind: 'answered', at: record.answered_at, record }];
  return record.status === 'unknown' ? [{ kind: 'unanswered', at: record.submitted_at, record }] : [];
}

/** Messages that were handed over and have no receipt yet: by task and place in it, whatever the number of their parts. */
function countOpen(submits: readonly SubmitRecord[], receipts: readonly Receipt[]): number {
  const nameOf = ({ task_no: taskNo, seq }: { readonly task_no: string; readonly seq: number }) => `${taskNo} ${seq}`;
  const open = new Set(submits.map(nameOf));
  for (const receipt of receipts) open.delete(nameOf(receipt));
  return open.size;
}

async function readOptedOutAt(
  client: PostriderClient,
  phone: string,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  const page = await client
    .optOuts({ phone, pageSize: 1, signal })
    .page()
    .catch(() => undefined);
  return page === undefined ? undefined : (page.items[0]?.created_at ?? null);
}
