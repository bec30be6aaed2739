// The append-only records of a number: its submits, its delivery reports and its receipt.

import type { CustomerId, TaskId } from '../id.js';
import type { Money } from '../money/money.js';

export interface NumberKey {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly seq: number;
}

export interface PartKey extends NumberKey {
  /** From 1. */
  readonly part: number;
}

export const RECEIPT_RESULTS = ['delivered', 'undelivered', 'expired', 'rejected'] as const;
export type ReceiptResult = (typeof RECEIPT_RESULTS)[number];

export const SUBMIT_STATUSES = ['accepted', 'rejected', 'unknown'] as const;

export interface Submit extends PartKey {
  readonly parts: number;
  readonly channelId: bigint;
  readonly phoneKey: string;
  readonly phone: string;
  readonly firm: string;
  readonly status: (typeof SUBMIT_STATUSES)[number];
  readonly code: string | null;
  readonly upstreamMessageId: string | null;
  readonly submittedAt: number;
  readonly answeredAt: Date | null;
}

/** An unknown part turned out to be accepted or not. */
export interface SubmitResolution extends PartKey {
  readonly status: 'accepted' | 'rejected';
  readonly code: string | null;
  readonly upstreamMessageId: string | null;
}

/** The status in a delivery report. */
export const DELIVERY_STATUSES = [...RECEIPT_RESULTS, 'intermediate'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface Delivery extends PartKey {
  readonly parts: number;
  /** The channel that the report arrived on. */
  readonly channelId: bigint;
  readonly phoneKey: string;
  readonly phone: string;
  readonly firm: string;
  readonly status: DeliveryStatus;
  readonly code: string | null;
  readonly upstreamMessageId: string | null;
  readonly doneAt: Date | null;
}

export interface Receipt extends NumberKey {
  readonly parts: number;
  readonly phoneKey: string;
  readonly price: Money;
  readonly phone: string;
  readonly firm: string | null;
  readonly result: ReceiptResult;
  /** Whether the number was charged, even if it was refunded later. Absent: not charged. */
  readonly isCharged?: boolean;
  /** The channel that sent or refused it. */
  readonly channelId?: bigint;
  /** Whether the carrier accepted it, so that it costs us something. */
  readonly isAccepted?: boolean;
  readonly code: string | null;
  readonly submittedAt: Date | null;
  readonly doneAt: Date | null;
}

/** A part that the carrier may or may not have accepted. */
export interface UnknownPart extends PartKey {
  readonly chunkNo: number;
  readonly channelId: bigint;
  readonly phoneKey: string;
}
