// What an audit is asked for, what it passes to the proof of each customer, and what it finds.

import type { Sql } from '../sql.js';
import type { TaskSliceLimits } from './audit-tasks.js';

/** Something that does not add up: whose, what, and the figures. */
export interface Imbalance {
  readonly customerId: bigint;
  readonly rule: string;
  readonly detail: string;
}

export interface AuditOptions {
  /** Reads every closed slice again and compares it with its proof. */
  readonly isFull: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: AuditProgress) => Promise<void>;
  /** A task that ended is closed after so long. */
  readonly closedAfterMs?: number;
  readonly entriesASlice?: number;
  readonly tasksASlice?: number;
}

export interface AuditProgress {
  readonly customers: number;
  readonly ofCustomers: number;
  readonly entries: number;
  readonly tasks: number;
}

/** Closed slices whose proof of an earlier audit was taken. */
export interface NotRead {
  readonly slices: number;
  readonly entries: number;
  readonly tasks: number;
  readonly oldestProof: Date | null;
}

export interface AuditResult {
  readonly imbalances: readonly Imbalance[];
  readonly read: Pick<AuditProgress, 'entries' | 'tasks'>;
  readonly notRead: NotRead;
  /** The start of the interrupted full audit that this one continued. */
  readonly continuedFrom: Date | null;
}

/** What the proof of one customer needs, and what it adds to. */
export interface AuditRun {
  readonly sql: Sql;
  readonly bucket: number;
  /** Slices proved since then are not read again by a full run; undefined: a sample is. */
  readonly fullSince: Date | undefined;
  /** A standby can be audited; nothing is remembered then. */
  readonly isReadOnly: boolean;
  readonly entriesASlice: number;
  readonly limits: TaskSliceLimits;
  readonly totals: Totals;
  checkpoint(): Promise<void>;
}

export interface Totals {
  readonly imbalances: Imbalance[];
  readonly read: { entries: number; tasks: number };
  readonly notRead: { -readonly [field in keyof NotRead]: NotRead[field] };
}
