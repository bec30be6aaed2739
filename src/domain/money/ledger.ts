// The account of a customer and its ledger. An account is changed only while its row is locked; what a transaction posts to
// it is put together here and written at its end, so that an entry, the balances after it and its number are one thing.

import type { TaskId } from '../id.js';
import type { MessageClass } from '../rules/message-class.js';
import { placeOf } from '../rules/queue-place.js';
import type { Tenant } from '../tenant.js';
import { type Money, moneyFromMillionths } from './money.js';

export type EntryType = 'freeze' | 'charge' | 'release' | 'refund' | 'topup' | 'adjustment';

export interface Entry {
  readonly type: EntryType;
  readonly amount: Money;
  readonly taskId?: TaskId;
  readonly numbers?: number;
  readonly remark?: string;
  readonly reference?: string;
}

export interface LedgerEntry extends Entry {
  readonly seq: bigint;
  readonly availableDelta: Money;
  readonly frozenDelta: Money;
  readonly availableAfter: Money;
  readonly frozenAfter: Money;
  readonly createdAt: Date;
}

/** An account under its lock, with what the transaction has posted to it so far. */
export interface Account extends Tenant {
  available: Money;
  frozen: Money;
  readonly creditLimit: Money;
  /** What may be frozen in one UTC day; null: any amount. */
  readonly dailyLimit: Money | null;
  /** The UTC day that something was last frozen on, as 2026-11-15, and how much on it. */
  frozenOn: string | null;
  frozenThatDay: Money;
  entrySeq: bigint;
  recordId: bigint;
  submitSeq: bigint;
  queueSeq: bigint;
  /** Somebody is told when tasks end, so their ends are numbered like records. */
  readonly notifiesFinished: boolean;
  /** There are webhook cursors to mark when the history grows. */
  readonly hasWebhooks: boolean;
  /** Its sends are counted for caps, or were. */
  readonly countsSends: boolean;
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
  const posted = {
    ...entry,
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
const LOW_MASK = 0xfffffn;

/**
 * The id of the next delivery, receipt or uplink. It carries the time read under the lock and is above every one before it:
 * for one customer, the order of ids is the order of commits, and a reader that remembers the last id it saw misses nothing.
 */
export function nextRecordId(account: Account, now: Date): bigint {
  const first = BigInt(now.getTime()) << LOW_BITS;
  account.recordId = account.recordId >= first ? account.recordId + 1n : first;
  return account.recordId;
}

/** The id of the next submit record, which carries the time at which its part went on the wire. */
export function nextSubmitId(account: Account, submittedMs: number): bigint {
  account.submitSeq += 1n;
  return (BigInt(submittedMs) << LOW_BITS) | (account.submitSeq & LOW_MASK);
}

/** The place of the next chunk that is queued, above all that a dispatcher has seen of this class of the customer. */
export function nextQueueNo(account: Account, messageClass: MessageClass): bigint {
  return placeOf(messageClass, nextInSequence(account));
}

function nextInSequence(account: Account): bigint {
  account.queueSeq += 1n;
  return account.queueSeq;
}

/** Above the numbers of chunks that preparing makes; the largest that the column holds is twice this. */
const FIRST_LATER_CHUNK = 2 ** 30;

/**
 * The number of a chunk that is made after its task was prepared. No other of the task has it, nor had it: what is still said
 * of one that is gone must not be taken for news of this one.
 */
export function nextChunkNo(account: Account): number {
  return FIRST_LATER_CHUNK + Number(nextInSequence(account) % BigInt(FIRST_LATER_CHUNK));
}
