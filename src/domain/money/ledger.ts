// The account of a customer and its ledger. An account is changed only while its row is locked. The entries of a transaction are
// collected here and written at its end, with their numbers and the balances after them.

import type { TaskId } from '../id.js';
import type { MessageClass } from '../rules/message-class.js';
import { placeOf } from '../rules/queue-place.js';
import type { Tenant } from '../tenant.js';
import { type Money, moneyFromMillionths } from './money.js';

export const ENTRY_TYPES = ['freeze', 'charge', 'release', 'refund', 'topup', 'adjustment'] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

export interface Entry {
  readonly type: EntryType;
  readonly amount: Money;
  readonly taskId?: TaskId | undefined;
  readonly numbers?: number | undefined;
  readonly remark?: string | undefined;
  readonly reference?: string | undefined;
}

export interface LedgerEntry extends Entry {
  readonly seq: bigint;
  readonly availableDelta: Money;
  readonly frozenDelta: Money;
  readonly availableAfter: Money;
  readonly frozenAfter: Money;
  readonly createdAt: Date;
}

/** A locked account, with the entries posted so far. */
export interface Account extends Tenant {
  available: Money;
  frozen: Money;
  readonly creditLimit: Money;
  /** The most that may be frozen in one UTC day; null: no limit. */
  readonly dailyLimit: Money | null;
  /** The UTC day of the last freeze, as 2026-11-15, and the sum of that day. */
  frozenOn: string | null;
  frozenThatDay: Money;
  entrySeq: bigint;
  recordId: bigint;
  submitSeq: bigint;
  queueSeq: bigint;
  /** A webhook receives the ends of tasks, so they are numbered like records. */
  readonly notifiesFinished: boolean;
  /** There are webhook cursors to mark when the history grows. */
  readonly hasWebhooks: boolean;
  /** Its sends count towards frequency caps, or did before. */
  readonly countsSends: boolean;
  /** When the last number opted out; null: none ever did. */
  readonly optedOutAt: Date | null;
  /** The heads of the history when the lock was granted. */
  readonly locked: { readonly entrySeq: bigint; readonly recordId: bigint };
  readonly posted: LedgerEntry[];
}

const EFFECT: Record<EntryType, { readonly available: bigint; readonly frozen: bigint }> = {
  freeze: { available: -1n, frozen: 1n },
  charge: { available: 0n, frozen: -1n },
  release: { available: 1n, frozen: -1n },
  refund: { available: 1n, frozen: 0n },
  topup: { available: 1n, frozen: 0n },
  adjustment: { available: 1n, frozen: 0n },
};

/** Numbers an entry and computes the balances after it. */
export function postEntry(account: Account, entry: Entry, now: Date): LedgerEntry {
  const effect = EFFECT[entry.type];
  const availableDelta = moneyFromMillionths(effect.available * entry.amount);
  const frozenDelta = moneyFromMillionths(effect.frozen * entry.amount);
  account.available = moneyFromMillionths(account.available + availableDelta);
  account.frozen = moneyFromMillionths(account.frozen + frozenDelta);
  account.entrySeq += 1n;
  // Field by field: a spread takes several times as long, and every message has two entries.
  const posted = {
    type: entry.type,
    amount: entry.amount,
    taskId: entry.taskId,
    numbers: entry.numbers,
    remark: entry.remark,
    reference: entry.reference,
    seq: account.entrySeq,
    availableDelta,
    frozenDelta,
    availableAfter: account.available,
    frozenAfter: account.frozen,
    createdAt: now,
  };
  account.posted.push(posted);
  return posted;
}

const LOW_BITS = 20n;

/**
 * The id of the next delivery, receipt or uplink. It carries the time read under the lock and is above every one before it:
 * for one customer, the order of ids is the order of commits, and a reader that remembers the last id it saw misses nothing.
 */
export function nextRecordId(account: Account, now: Date): bigint {
  const first = BigInt(now.getTime()) << LOW_BITS;
  account.recordId = account.recordId >= first ? account.recordId + 1n : first;
  return account.recordId;
}

/** The id of the next submit record, which is counted. */
export function nextSubmitId(account: Account, now: Date): bigint {
  account.submitSeq += 1n;
  return nextRecordId(account, now);
}

/** The place of the next queued chunk, above all earlier places of this class of the customer. */
export function nextQueueNo(account: Account, messageClass: MessageClass): bigint {
  return placeOf(messageClass, nextInSequence(account));
}

function nextInSequence(account: Account): bigint {
  account.queueSeq += 1n;
  return account.queueSeq;
}

/** Above the numbers of chunks that preparing creates; the column holds twice this. */
const FIRST_LATER_CHUNK = 2 ** 30;

/**
 * The number of a chunk that is created after its task was prepared. Unique among all chunks that the task ever had: a late event of a
 * deleted chunk must not be applied to this one.
 */
export function nextChunkNo(account: Account): number {
  return FIRST_LATER_CHUNK + Number(nextInSequence(account) % BigInt(FIRST_LATER_CHUNK));
}
