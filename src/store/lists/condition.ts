// Pieces of the where clauses that the lists have in common.

import type { PendingQuery, Row } from 'postgres';
import { firstIdAt } from '../../domain/id.js';
import type { Tenant } from '../../domain/ledger.js';
import type { Sql } from '../connect.js';

export type Condition = PendingQuery<Row[]>;

/** Whose rows, and from when until when. */
export interface ListScope extends Tenant {
  /** Inclusive. */
  readonly startMs: number | undefined;
  /** Exclusive. */
  readonly endMs: number | undefined;
}

export function scopeOf(
  { bucket, customerId }: Tenant,
  { startMs, endMs }: Pick<ListScope, 'startMs' | 'endMs'>,
): ListScope {
  return { bucket, customerId, startMs, endMs };
}

/** The condition that every list begins with. */
export function ownRows(sql: Sql, { bucket, customerId }: Tenant): Condition {
  return sql`bucket = ${bucket} and customer_id = ${customerId}`;
}

/** There is always a first condition, which names the customer. */
export function allOf(sql: Sql, first: Condition, rest: readonly (Condition | undefined)[]): Condition {
  return rest.reduce<Condition>((all, next) => (next === undefined ? all : sql`${all} and ${next}`), first);
}

/** The ids that carry a time within the scope: at least `from`, less than `until`. */
export function idRange({ startMs, endMs }: ListScope): { from: string | undefined; until: string | undefined } {
  const firstId = (ms: number | undefined) => (ms === undefined ? undefined : String(firstIdAt(new Date(ms))));
  return { from: firstId(startMs), until: firstId(endMs) };
}

export async function countUpTo(sql: Sql, matching: Condition, limit: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (select 1 ${matching} limit ${limit}) as matching`;
  return row?.count ?? 0;
}
