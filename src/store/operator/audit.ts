import type { Sql } from '../connect.js';
import type { ListSource } from '../list.js';

export interface AuditRecord {
  readonly audit_id: bigint;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly change: unknown;
}

export interface AuditFilters {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  /** Inclusive. */
  readonly startAt?: Date;
  /** Exclusive. */
  readonly endAt?: Date;
}

/** Newest first. Each filter is written only where it is given, so that it finds its index. */
export function listAudit(sql: Sql, { actor, action, subject, startAt, endAt }: AuditFilters): ListSource<AuditRecord> {
  const matching = () => sql`
    true
    ${actor === undefined ? sql`` : sql`and actor = ${actor}`}
    ${action === undefined ? sql`` : sql`and action = ${action}`}
    ${subject === undefined ? sql`` : sql`and subject = ${subject}`}
    ${startAt === undefined ? sql`` : sql`and at >= ${startAt}`}
    ${endAt === undefined ? sql`` : sql`and at < ${endAt}`}`;
  return {
    keyOf: (record) => String(record.audit_id),
    rows: ({ after, offset, limit }) => sql<AuditRecord[]>`
      select audit_id, at, actor, action, subject, change from audit
      where ${matching()} ${after === undefined ? sql`` : sql`and audit_id < ${after}`}
      order by audit_id desc offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (select from audit where ${matching()} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}
