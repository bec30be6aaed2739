// The facts that the model gets: what a customer asked for, what the carriers got and said, and the rows that a commit changed, as a client of
// the API sees them. Plain values, so that the model shares nothing with the code that it judges.

export interface NumberAsked {
  readonly seq: number;
  /** Undefined for one that must be rejected without being priced. */
  readonly price: bigint | undefined;
  readonly parts: number;
}

export interface TaskAsked {
  readonly task: number;
  readonly customer: number;
  readonly numbers: readonly NumberAsked[];
  readonly sendAt: number | null;
  readonly expiresAt: number | null;
}

/** What a carrier gets with a part. */
export interface Handed {
  readonly messageId: string;
  /** The same id as its reports spell it. */
  readonly reportedId: string;
}

export interface PartName {
  readonly task: number;
  readonly seq: number;
  readonly part: number;
}

/** What the sender of a part learnt from the carrier. */
export type CarrierAnswer = 'accepted' | 'refused' | 'throttled' | 'unsent' | 'lost';

export interface CountsRow {
  readonly total: number;
  readonly unsent: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly awaiting: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly expired: number;
}

export interface TaskRow {
  readonly task: number;
  readonly customer: number;
  readonly stage: string;
  readonly waitsFor: string | null;
  readonly timeline: readonly string[];
  readonly accounting: string;
  readonly receiptState: string;
  readonly counts: CountsRow;
  readonly price: bigint;
  readonly frozen: bigint;
  readonly charged: bigint;
  readonly released: bigint;
  readonly refunded: bigint;
  readonly chargeOn: 'submit' | 'delivery' | null;
  readonly refundOnFailure: boolean;
  readonly isCompleted: boolean;
  readonly isPaused: boolean;
}

export interface SubmitRow extends PartName {
  readonly id: string;
  readonly parts: number;
  readonly channel: number;
  readonly status: string;
  readonly code: string | null;
  readonly messageId: string | null;
}

export interface DeliveryRow extends PartName {
  readonly channel: number;
  readonly status: string;
  readonly code: string | null;
}

export interface ReceiptRow {
  readonly task: number;
  readonly seq: number;
  readonly result: string;
  readonly code: string | null;
  readonly isCharged: boolean;
  readonly price: bigint;
}

export interface EntryRow {
  readonly customer: number;
  readonly seq: number;
  readonly type: string;
  readonly amount: bigint;
  readonly task: number | undefined;
  readonly availableAfter: bigint;
  readonly frozenAfter: bigint;
}

export interface AccountRow {
  readonly customer: number;
  readonly available: bigint;
  readonly frozen: bigint;
}

/** The rows that one transaction inserted or changed, visible together. */
export interface CommitRows {
  readonly now: number;
  readonly tasks: readonly TaskRow[];
  /** Inserted, or resolved. */
  readonly submits: readonly SubmitRow[];
  readonly deliveries: readonly DeliveryRow[];
  readonly receipts: readonly ReceiptRow[];
  readonly entries: readonly EntryRow[];
  readonly accounts: readonly AccountRow[];
  /** The ids of the submits, deliveries and receipts. */
  readonly recordIds: readonly { readonly customer: number; readonly id: bigint }[];
}

export interface CustomerTerms {
  readonly customer: number;
  readonly available: bigint;
  readonly creditLimit: bigint;
  readonly billing: Billing;
  /** The channels that it may use. */
  readonly channels: readonly number[];
}

export interface Billing {
  readonly chargeOn: 'submit' | 'delivery';
  readonly refundOnFailure: boolean;
}

export interface PlatformRules {
  readonly receiptMs: number;
  readonly unknownMs: number;
  /** Refusals with this code let a number try another channel. */
  readonly failoverCode: string;
}
