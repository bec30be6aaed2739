// An account and a task for tests of the rules, in memory and as plain as can be.

import type { Chunk } from '../../../src/domain/chunk/chunk.js';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import type { Account } from '../../../src/domain/money/ledger.js';
import { type Money, moneyFromMillionths, ZERO } from '../../../src/domain/money/money.js';
import type { Plan } from '../../../src/domain/plan/plan.js';
import { type Task, UNTOUCHED } from '../../../src/domain/task/task.js';
import { chunkOf } from './chunk-of.js';

const OWNER = { bucket: 0, customerId: asCustomerId(1n) };
const KEY = { ...OWNER, taskId: asTaskId(2n) };
export const ACCEPTED_AT = new Date('2026-11-15T12:00:00.000Z');

export function accountOf(changes: Partial<Account> = {}): Account {
  return {
    ...OWNER,
    available: moneyFromMillionths(1000n),
    frozen: ZERO,
    creditLimit: ZERO,
    dailyLimit: null,
    frozenOn: null,
    frozenThatDay: ZERO,
    entrySeq: 0n,
    recordId: 0n,
    submitSeq: 0n,
    queueSeq: 0n,
    notifiesFinished: false,
    hasWebhooks: false,
    countsSends: false,
    optedOutAt: null,
    locked: { entrySeq: 0n, recordId: 0n },
    posted: [],
    ...changes,
  };
}

/** Accepted, and nothing done with it; all steps by hand unless said otherwise. */
export function taskOf(total: number, changes: Partial<Task> = {}): Task {
  return {
    ...KEY,
    requestKey: 'c:1',
    fingerprint: Buffer.alloc(32),
    batchId: null,
    title: null,
    templateId: 1n,
    serviceAccountId: 1n,
    accountDefaulted: true,
    targetFirms: null,
    autoPrepare: false,
    autoFreeze: false,
    autoSubmit: false,
    queuedFor: 'manual',
    sendAt: null,
    expiresAt: null,
    stage: 'queued',
    failure: null,
    price: ZERO,
    counts: { total, unsent: total, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 },
    ...UNTOUCHED,
    timeline: [{ stage: 'queued', at: ACCEPTED_AT.toISOString() }],
    createdAt: ACCEPTED_AT,
    updatedAt: ACCEPTED_AT,
    completedAt: null,
    ...changes,
  };
}

const phoneOf = (seq: number) => String(13_800_138_000 + seq);

/** Up for dispatch, of so many numbers with a part each. */
export function chunkOfNumbers(count: number, unitPrice: Money): Chunk {
  const seq = Array.from({ length: count }, (_, at) => at + 1);
  const phone = seq.map(phoneOf);
  const numbers = { seq, phone, to: phone.map((one) => `86${one}`), text: 'Hello', parts: seq.map(() => 1) };
  return chunkOf({ ...KEY, unitPrice, numbers });
}

/** Of so many numbers, the last of which are rejected; the others are in one chunk. */
export function planOf(
  total: number,
  rejected: number,
  unitPrice: Money,
): Plan & { readonly chunks: readonly Chunk[] } {
  const sendable = total - rejected;
  const unsent = { parts: 0, price: ZERO, firm: null, code: 'no_route', submittedAt: null, doneAt: null };
  return {
    chunks: sendable > 0 ? [chunkOfNumbers(sendable, unitPrice)] : [],
    price: moneyFromMillionths(unitPrice * BigInt(sendable)),
    found: new Map(),
    rejected: Array.from({ length: rejected }, (_, at) => {
      const seq = sendable + at + 1;
      const phone = phoneOf(seq);
      return { ...KEY, seq, phone, phoneKey: `86${phone}`, result: 'rejected', ...unsent };
    }),
  };
}
