// The tables that a number's life is in, in memory: what the statements of `src/store` read and write, without SQL. A transaction reads
// copies, decides, and writes everything at once.

import {
  allSubmissions,
  type Chunk,
  chunkKeyOf,
  type NewChunk,
  type StoredChunk,
  taskKeyOf,
} from '#src/domain/chunk/chunk.js';
import { newChunkState } from '#src/domain/chunk/chunk-state.js';
import type { CustomerId } from '#src/domain/id.js';
import type { Account, LedgerEntry } from '#src/domain/money/ledger.js';
import type { Delivery, Receipt, Submit, UnknownPart } from '#src/domain/record/records.js';
import type { Task } from '#src/domain/task/task.js';

export interface ChunkRow {
  readonly fixed: NewChunk;
  readonly key: string;
  readonly taskKey: string;
  readonly offsets: Uint32Array;
  channelId: bigint;
  queueNo: bigint | null;
  queuedAt: number;
  partStates: Uint8Array;
  results: Uint8Array;
  intendedAt: Date | null;
  /** All its parts have answers, or are never sent. */
  isHandedOver: boolean;
  /** No receipt of its numbers is overdue before. */
  dueAt: number | null;
}

export interface SubmitRecord extends Submit {
  readonly id: bigint;
}

export interface UnknownRow extends UnknownPart {
  readonly since: number;
  readonly deadline: number;
}

export type AccountRow = Omit<Account, 'posted' | 'locked'>;

/** A report without a known part, as it is stored. */
export interface UnmatchedReport {
  readonly id: bigint;
  readonly channelId: bigint;
  readonly part: string;
  readonly messageId: string;
  readonly reference: string | undefined;
  readonly phone: string | undefined;
  readonly status: Delivery['status'];
  readonly code: string;
  readonly receivedAt: number;
}

/** What changed since the last commit that the model has seen. */
export interface Changes {
  readonly tasks: Set<string>;
  readonly submits: Set<SubmitRecord>;
  readonly deliveries: Delivery[];
  readonly receipts: Receipt[];
  readonly entries: { readonly customerId: CustomerId; readonly entry: LedgerEntry }[];
  readonly accounts: Set<CustomerId>;
  readonly recordIds: { readonly customerId: CustomerId; readonly id: bigint }[];
}

export class Store {
  readonly accounts = new Map<CustomerId, AccountRow>();
  readonly tasks = new Map<string, Task>();
  /** The numbers of tasks that are not prepared, by task. */
  readonly payloads = new Map<string, readonly string[]>();
  readonly chunks = new Map<string, ChunkRow>();
  readonly submits: SubmitRecord[] = [];
  readonly submitsOfTask = new Map<string, number[]>();
  readonly deliveries = new Map<string, Delivery[]>();
  readonly unknown = new Map<string, UnknownRow>();
  readonly unmatchedReports = new Map<bigint, UnmatchedReport>();
  /** Numbers that opted out, as `customer/phone`. */
  readonly optedOut = new Set<string>();
  /** The token of the owner of each channel. */
  readonly tokens = new Map<bigint, bigint>();
  changes: Changes = noChanges();

  /** The account, to be changed and written back. */
  lockAccount(customerId: CustomerId): Account {
    const row = this.accounts.get(customerId);
    if (row === undefined) throw new Error(`customer ${customerId} has no account`);
    return { ...copyOf(row), locked: { entrySeq: row.entrySeq, recordId: row.recordId }, posted: [] };
  }

  writeAccount(account: Account): void {
    this.accounts.set(account.customerId, copyOf(account));
    this.changes.accounts.add(account.customerId);
    for (const entry of account.posted) this.changes.entries.push({ customerId: account.customerId, entry });
  }

  writeTask(task: Task): void {
    const key = taskKeyOf(task);
    if (task.stage !== 'queued') this.payloads.delete(key);
    this.tasks.set(key, task.stage === 'queued' ? task : { ...task, queuedFor: null });
    this.changes.tasks.add(key);
  }

  insertChunk(fixed: NewChunk, queueNo: bigint | null, now: number): void {
    const { offsets, partStates, results } = newChunkState(allSubmissions(fixed.numbers));
    const { channelId } = fixed;
    const [key, taskKey] = [chunkKeyOf(fixed), taskKeyOf(fixed)];
    const row = { fixed, key, taskKey, offsets, channelId, queueNo, queuedAt: now, partStates, results };
    this.chunks.set(key, { ...row, intendedAt: null, isHandedOver: false, dueAt: null });
  }

  chunksOfTask(taskKey: string): ChunkRow[] {
    const found: ChunkRow[] = [];
    for (const row of this.chunks.values()) if (row.taskKey === taskKey) found.push(row);
    return found.sort((one, other) => one.fixed.chunkNo - other.fixed.chunkNo);
  }

  insertSubmit(submit: Submit, id: bigint): void {
    const record = { ...submit, id };
    const key = taskKeyOf(submit);
    const known = this.submitsOfTask.get(key);
    if (known === undefined) this.submitsOfTask.set(key, [this.submits.length]);
    else known.push(this.submits.length);
    this.submits.push(record);
    this.changes.submits.add(record);
  }

  /** The submit records of a task, oldest first. */
  submitsOf(taskKey: string): SubmitRecord[] {
    return (this.submitsOfTask.get(taskKey) ?? []).flatMap((at) => this.submits[at] ?? []);
  }

  replaceSubmit(taskKey: string, matches: (record: SubmitRecord) => boolean, change: Partial<Submit>): void {
    for (const at of this.submitsOfTask.get(taskKey) ?? []) {
      const record = this.submits[at];
      if (record === undefined || !matches(record)) continue;
      const changed = { ...record, ...change };
      this.submits[at] = changed;
      this.changes.submits.delete(record);
      this.changes.submits.add(changed);
    }
  }

  insertDelivery(delivery: Delivery): void {
    const key = taskKeyOf(delivery);
    const known = this.deliveries.get(key);
    if (known === undefined) this.deliveries.set(key, [delivery]);
    else known.push(delivery);
    this.changes.deliveries.push(delivery);
  }

  takeChanges(): Changes {
    const { changes } = this;
    this.changes = noChanges();
    return changes;
  }
}

/** Field by field: a spread takes several times as long, and every transaction copies an account twice. */
function copyOf(row: AccountRow): AccountRow {
  return {
    bucket: row.bucket,
    customerId: row.customerId,
    available: row.available,
    frozen: row.frozen,
    creditLimit: row.creditLimit,
    dailyLimit: row.dailyLimit,
    frozenOn: row.frozenOn,
    frozenThatDay: row.frozenThatDay,
    entrySeq: row.entrySeq,
    recordId: row.recordId,
    submitSeq: row.submitSeq,
    queueSeq: row.queueSeq,
    notifiesFinished: row.notifiesFinished,
    hasWebhooks: row.hasWebhooks,
    countsSends: row.countsSends,
    optedOutAt: row.optedOutAt,
  };
}

function noChanges(): Changes {
  return {
    tasks: new Set(),
    submits: new Set(),
    deliveries: [],
    receipts: [],
    entries: [],
    accounts: new Set(),
    recordIds: [],
  };
}

/** The chunk as a process reads it: a copy, which goes out of date. */
export function readChunk(row: ChunkRow): StoredChunk {
  const { fixed, key, taskKey, offsets, channelId, queueNo, partStates, results, intendedAt } = row;
  const chunk: Chunk = { ...fixed, channelId, queueNo: queueNo ?? 0n, offsets, key, taskKey };
  return { chunk, state: { offsets, partStates: partStates.slice(), results: results.slice() }, intendedAt };
}
