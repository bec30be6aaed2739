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
  readonly action?: string;
  readonly subject?: string;
  /** Inclusive. */
  readonly startAt?: Date;
  /** Exclusive. */
  readonly endAt?: Date;
}

/** Newest first. */
export function listAudit(sql: Sql, { action, subject, startAt, endAt }: AuditFilters): ListSource<AuditRecord> {
  const matching = () => sql`
    (${action ?? null}::text is null or action = ${action ?? null})
    and (${subject ?? null}::text is null or subject = ${subject ?? null})
    and (${startAt ?? null}::timestamptz is null or at >= ${startAt ?? null})
    and (${endAt ?? null}::timestamptz is null or at < ${endAt ?? null})`;
  return {
    keyOf: (record) => String(record.audit_id),
    rows: ({ after, offset, limit }) => sql<AuditRecord[]>`
      select audit_id, at, actor, action, subject, change from audit
      where ${matching()} and (${after ?? null}::bigint is null or audit_id < ${after ?? null}::bigint)
      order by audit_id desc offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (select from audit where ${matching()} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}
