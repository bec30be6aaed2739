import type { Condition } from '../condition.js';
import type { AnySql } from '../sql.js';

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
