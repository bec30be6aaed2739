// What happened to a part of a number, and the wire records and the receipt it leaves.

import { type Chunk, priceOf, submissionsOf } from '../chunk/chunk.js';
import type { PartEvent } from '../chunk/chunk-state.js';
import type { Delivery, Receipt, Submit } from './records.js';

/** Something that happened to one part of one number. */
export interface DeliveryEvent {
  readonly chunk: Chunk;
  readonly index: number;
  /** From 1. */
  readonly part: number;
  readonly event: PartEvent | NumberEvent;
  readonly channelId: bigint;
  /** The channel that the number goes to where this one will not have it. */
  readonly failoverChannel?: bigint | undefined;
  /** The upstream's own code, or ours. */
  readonly code?: string | undefined;
  readonly messageId?: string | undefined;
  /** When the part went on the wire, in milliseconds since the epoch. */
  readonly submittedAt?: number | undefined;
  /** The carrier's time. */
  readonly doneAt?: Date | undefined;
  /** The kept report this is, to be removed with it. */
  readonly orphanId?: bigint | undefined;
}

/** What happens to a number as a whole. */
export type NumberEvent =
  /** No final report came in time. */
  | { readonly kind: 'no_receipt' }
  /** What is unsent is not sent any more. */
  | { readonly kind: 'ended' }
  /** What is unsent goes by another channel, because this one cannot carry it. */
  | { readonly kind: 'rerouted' }
  /** Nothing more of it can be handed over: its channel is gone for good. */
  | { readonly kind: 'stranded' };

/** The same happens to the numbers of a chunk, each as a whole: to all, or to those that are meant. */
export function deliveryEventsOfNumbers(
  chunk: Chunk,
  what: Pick<DeliveryEvent, 'code' | 'failoverChannel'> & { readonly event: NumberEvent },
  isMeant: (index: number) => boolean = () => true,
): DeliveryEvent[] {
  const { channelId } = chunk;
  return chunk.numbers.seq.flatMap((_, index) =>
    isMeant(index) ? [{ chunk, index, part: 1, channelId, ...what }] : [],
  );
}

// Written out field by field: these are made for every part, and copying objects into objects costs more than the rest.

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
  const isUnsent = event.kind === 'ended' || event.kind === 'stranded';
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
