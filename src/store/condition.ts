// Pieces of the where clauses that the lists have in common.

import { firstIdAt } from '../domain/id.js';
import type { Tenant } from '../domain/tenant.js';
import type { AnySql, PendingQuery, Row } from './sql.js';

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
export function ownRows(sql: AnySql, { bucket, customerId }: Tenant): Condition {
  return sql`bucket = ${bucket} and customer_id = ${customerId}`;
}

/** There is always a first condition, which names the customer. */
export function allOf(sql: AnySql, first: Condition, rest: readonly (Condition | undefined)[]): Condition {
  return rest.reduce<Condition>((all, next) => (next === undefined ? all : sql`${all} and ${next}`), first);
}

/** The ids that carry a time within the scope: at least `from`, less than `until`. */
export function idRange({ startMs, endMs }: Pick<ListScope, 'startMs' | 'endMs'>): {
  from: string | undefined;
  until: string | undefined;
} {
  const firstId = (ms: number | undefined) => (ms === undefined ? undefined : String(firstIdAt(new Date(ms))));
  return { from: firstId(startMs), until: firstId(endMs) };
}

/** Mirrors the expression of the indexes by status. */
const SPAN_BITS = 37n;

/** The 131 seconds that an id is of, as those indexes have it. */
export function spanOf(id: string): string {
  return String(BigInt(id) >> SPAN_BITS);
}

/** The direction in which a list is read by its key, and what lies behind a key in it. */
export function walkOf(sql: AnySql, oldestFirst: boolean | undefined): { direction: Condition; beyond: Condition } {
  return oldestFirst === true ? { direction: sql`asc`, beyond: sql`>` } : { direction: sql`desc`, beyond: sql`<` };
}

export async function countUpTo(sql: AnySql, matching: Condition, limit: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (select 1 ${matching} limit ${limit}) as matching`;
  return row?.count ?? 0;
}
