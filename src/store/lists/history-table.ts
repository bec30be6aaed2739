import type { Condition } from '../condition.js';
import type { AnySql } from '../sql.js';

/** A table of records, as its list reads it. */
export interface HistoryTable {
  readonly name: 'submit' | 'delivery' | 'receipt';
  readonly id: string;
  readonly status: string;
  /** The status that most rows have. The index by status leaves it out. */
  readonly success: 'accepted' | 'delivered';
  readonly columns: readonly string[];
}

/** Word for word the condition of the table's index by status. */
export function isNotSuccess(sql: AnySql, { status, success }: HistoryTable): Condition {
  return sql`${sql(status)} <> ${sql.unsafe(`'${success}'`)}`;
}
