// Events of parts and numbers, and the wire records and receipts that they produce.

import { type Chunk, priceOf, submissionsOf } from '../chunk/chunk.js';
import type { PartEvent } from '../chunk/chunk-state.js';
import type { Delivery, Receipt, Submit } from '../record/records.js';

/** An event of one part of one number. */
export interface DeliveryEvent {
  readonly chunk: Chunk;
  /** Of the number in its chunk. */
  readonly index: number;
  /** From 1. */
  readonly part: number;
  readonly event: PartEvent | NumberEvent;
  readonly channelId: bigint;
  /** The channel that the number moves to if this one declines it. */
  readonly failoverChannel?: bigint | undefined;
  /** The carrier's code, or ours. */
  readonly code?: string | undefined;
  readonly messageId?: string | undefined;
  /** When the part was submitted, in milliseconds since the epoch. */
  readonly submittedAt?: number | undefined;
  /** The carrier's time. */
  readonly doneAt?: Date | undefined;
  /**
   * Of an intent whose number may no longer be sent on this channel: applied in its place while nothing of the number was sent. A message
   * in progress is completed.
   */
  readonly instead?: DeliveryEvent | undefined;
  /** What a rule found, for which the number ends. */
  readonly found?: string | undefined;
  /** The unmatched report that this event is from: its row is deleted with the commit. */
  readonly reportId?: bigint | undefined;
}

/** An event of a whole number. */
export type NumberEvent =
  /** No final report arrived in time. */
  | { readonly kind: 'no_receipt' }
  /** Its task expired: a number of which nothing was sent is not sent. */
  | { readonly kind: 'ended' }
  /** Its task was cancelled, or expired while its channel cannot send: unsent parts are not sent, those of messages in progress included. */
  | { readonly kind: 'stopped' }
  /** Unsent parts move to another channel. */
  | { readonly kind: 'rerouted' }
  /** Its channel has been gone for too long: unsent parts are not sent. */
  | { readonly kind: 'stranded' };

/** The same event for all numbers of a chunk that match. */
export function deliveryEventsOfNumbers(
  chunk: Chunk,
  common: Pick<DeliveryEvent, 'code' | 'failoverChannel'> & { readonly event: NumberEvent },
  matches: (index: number) => boolean = () => true,
): DeliveryEvent[] {
  const { channelId } = chunk;
  return chunk.numbers.seq.flatMap((_, index) =>
    matches(index) ? [{ chunk, index, part: 1, channelId, ...common }] : [],
  );
}

// Field by field, because these run for every part and spreading objects is slow.

export function submitOf(deliveryEvent: DeliveryEvent, status: Submit['status'], now: Date): Submit {
  const { chunk, index } = deliveryEvent;
  const { numbers } = chunk;
  return {
    customerId: chunk.customerId,
    taskId: chunk.taskId,
    seq: numbers.seq[index] ?? 0,
    part: deliveryEvent.part,
    parts: submissionsOf(numbers, index),
    channelId: deliveryEvent.channelId,
    phoneKey: numbers.to[index] ?? '',
    phone: numbers.phone[index] ?? '',
    firm: chunk.firm,
    status,
    code: deliveryEvent.code ?? null,
    upstreamMessageId: deliveryEvent.messageId ?? null,
    submittedAt: deliveryEvent.submittedAt ?? now.getTime(),
    answeredAt: status === 'unknown' ? null : now,
  };
}

export function deliveryOf(deliveryEvent: DeliveryEvent, status: Delivery['status']): Delivery {
  const { chunk, index } = deliveryEvent;
  const { numbers } = chunk;
  return {
    customerId: chunk.customerId,
    taskId: chunk.taskId,
    seq: numbers.seq[index] ?? 0,
    part: deliveryEvent.part,
    parts: submissionsOf(numbers, index),
    channelId: deliveryEvent.channelId,
    phoneKey: numbers.to[index] ?? '',
    phone: numbers.phone[index] ?? '',
    firm: chunk.firm,
    status,
    code: deliveryEvent.code ?? null,
    upstreamMessageId: deliveryEvent.messageId ?? null,
    doneAt: deliveryEvent.doneAt ?? null,
  };
}

export function receiptOf(
  deliveryEvent: DeliveryEvent,
  result: Receipt['result'],
  isCharged: boolean,
  isAccepted: boolean,
): Receipt {
  const { chunk, index, submittedAt, event } = deliveryEvent;
  const isUnsent = event.kind === 'ended' || event.kind === 'stopped' || event.kind === 'stranded';
  const { numbers } = chunk;
  return {
    customerId: chunk.customerId,
    taskId: chunk.taskId,
    seq: numbers.seq[index] ?? 0,
    parts: numbers.parts[index] ?? 0,
    phoneKey: numbers.to[index] ?? '',
    price: priceOf(chunk, index),
    phone: numbers.phone[index] ?? '',
    firm: chunk.firm,
    result,
    isCharged,
    isAccepted,
    ...(isUnsent ? {} : { channelId: deliveryEvent.channelId }),
    code: deliveryEvent.code ?? null,
    submittedAt: submittedAt === undefined ? null : new Date(submittedAt),
    doneAt: deliveryEvent.doneAt ?? null,
  };
}
