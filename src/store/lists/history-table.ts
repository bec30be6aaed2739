import type { Condition } from '../condition.js';
import type { AnySql } from '../sql.js';

/** What submit and delivery records both have. */
export interface PartRow {
  readonly task_id: bigint;
  readonly seq: number;
  readonly phone: string;
  readonly firm: string;
  readonly part: number;
  readonly parts: number;
  readonly status: string;
  readonly code: string | null;
  readonly upstream_message_id: string | null;
}

export const PART_COLUMNS: readonly (keyof PartRow)[] = [
  'task_id',
  'seq',
  'phone',
  'firm',
  'part',
  'parts',
  'status',
  'code',
  'upstream_message_id',
];

/** A table of records, as its list reads it. */
export interface HistoryTable {
  readonly name: 'submit' | 'delivery' | 'receipt';
  readonly id: string;
  readonly status: string;
  /** The status that most rows have, where there is one. The index by status leaves it out. */
  readonly success?: 'accepted' | 'delivered';
  readonly columns: readonly string[];
  /** Which rows are records of the list, where not all are. It has no index, so that a list of all is walked. */
  readonly isRecord?: (sql: AnySql) => Condition;
}

/** Word for word the condition of the table's index by status, if it has one. */
export function isNotSuccess(sql: AnySql, { status, success }: HistoryTable): Condition {
  if (success === undefined) return sql`true`;
  return sql`${sql(status)} <> ${sql.unsafe(`'${success}'`)}`;
}
