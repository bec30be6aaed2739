// Everything that ever happened to a number, from five lists, as one story in order.

import type { DeliveryRecord, PostriderClient, Receipt, SubmitRecord, Uplink } from '@postrider/client';

export type NumberEvent =
  | { readonly kind: 'submitted'; readonly at: string; readonly record: SubmitRecord }
  | { readonly kind: 'answered'; readonly at: string; readonly record: SubmitRecord }
  | { readonly kind: 'reported'; readonly at: string; readonly record: DeliveryRecord }
  | { readonly kind: 'receipt'; readonly at: string; readonly record: Receipt }
  | { readonly kind: 'reply'; readonly at: string; readonly record: Uplink };

export interface NumberHistory {
  /** Newest first. */
  readonly events: readonly NumberEvent[];
  readonly receipts: readonly Receipt[];
  readonly replies: number;
  /** Since when it is on the opt-out list; null when it is not, undefined when the service does not say. */
  readonly optedOutAt: string | null | undefined;
  /** There is more than one look takes in. */
  readonly isCut: boolean;
}

const LOOK = 100;

/** What happens in the same millisecond is told in the order in which it must have happened. */
const ORDER: Record<NumberEvent['kind'], number> = { submitted: 0, answered: 1, reported: 2, receipt: 3, reply: 4 };

export function compareEvents(one: NumberEvent, other: NumberEvent): number {
  return other.at.localeCompare(one.at) || ORDER[other.kind] - ORDER[one.kind];
}

export async function readNumberHistory(
  client: PostriderClient,
  phone: string,
  signal: AbortSignal,
): Promise<NumberHistory> {
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
    ...submits.items.flatMap((record) =>
      record.answered_at === null ? [] : [{ kind: 'answered' as const, at: record.answered_at, record }],
    ),
    ...deliveries.items.map((record) => ({ kind: 'reported' as const, at: record.received_at, record })),
    ...receipts.items.map((record) => ({ kind: 'receipt' as const, at: record.received_at, record })),
    ...uplinks.items.map((record) => ({ kind: 'reply' as const, at: record.received_at, record })),
  ];
  return {
    events: events.sort(compareEvents),
    receipts: receipts.items,
    replies: uplinks.total,
    optedOutAt,
    isCut: [receipts, submits, deliveries, uplinks].some((page) => page.next_cursor !== null),
  };
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
