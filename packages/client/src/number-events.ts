import type { DeliveryRecord, NumberHistory, Receipt, SubmitRecord, Uplink } from './wire/wire.generated.js';
import type { Timestamp } from './wire/wire-values.js';

// What happened to a number as one story in order.

export type NumberEvent =
  | { readonly kind: 'submitted'; readonly at: Timestamp; readonly record: SubmitRecord }
  | { readonly kind: 'unanswered'; readonly at: Timestamp; readonly record: SubmitRecord }
  | { readonly kind: 'answered'; readonly at: Timestamp; readonly record: SubmitRecord }
  | { readonly kind: 'reported'; readonly at: Timestamp; readonly record: DeliveryRecord }
  | { readonly kind: 'receipt'; readonly at: Timestamp; readonly record: Receipt }
  | { readonly kind: 'reply'; readonly at: Timestamp; readonly record: Uplink };

/** The order of events in the same millisecond. */
const ORDER: Record<NumberEvent['kind'], number> = {
  submitted: 0,
  unanswered: 1,
  answered: 2,
  reported: 3,
  receipt: 4,
  reply: 5,
};

/**
 * The records of a number in the order of what happened, newest first.
 *
 * @example
 * for (const { kind, at, record } of orderEvents(await client.number('13800138000'))) console.log(at, kind, record);
 */
export function orderEvents(
  history: Pick<NumberHistory, 'submits' | 'deliveries' | 'receipts' | 'uplinks'>,
): readonly NumberEvent[] {
  const events: NumberEvent[] = [
    ...history.submits.map((record) => ({ kind: 'submitted' as const, at: record.submitted_at, record })),
    ...history.submits.flatMap(tellAnswer),
    ...history.deliveries.map((record) => ({ kind: 'reported' as const, at: record.received_at, record })),
    ...history.receipts.map((record) => ({ kind: 'receipt' as const, at: record.received_at, record })),
    ...history.uplinks.map((record) => ({ kind: 'reply' as const, at: record.received_at, record })),
  ];
  return events.sort(compareEvents);
}

/** Times are all spelled alike, so that their texts compare as they do. */
function compareEvents(one: NumberEvent, other: NumberEvent): number {
  if (one.at !== other.at) return one.at > other.at ? -1 : 1;
  return ORDER[other.kind] - ORDER[one.kind];
}

/** Without an answer it is not known whether the upstream has the part, and that is a part of the story. */
function tellAnswer(record: SubmitRecord): NumberEvent[] {
  if (record.answered_at !== null) return [{ kind: 'answered', at: record.answered_at, record }];
  return record.status === 'unknown' ? [{ kind: 'unanswered', at: record.submitted_at, record }] : [];
}
