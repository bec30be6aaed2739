import type { ListSource } from '../list.js';
import type { Sql } from '../sql.js';

export interface AuditRecord {
  readonly audit_id: bigint;
  /** Orders the list to the microsecond, which a Date does not hold. */
  readonly at_us: bigint;
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

/** Time and number, in the order of the list. */
export function isAuditKey(text: string): boolean {
  return /^\d{1,18}\.\d{1,18}$/.test(text);
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
    keyOf: ({ at_us, audit_id }) => `${at_us}.${audit_id}`,
    rows: ({ after, offset, limit }) => sql<AuditRecord[]>`
      select audit_id, (extract(epoch from at) * 1000000)::bigint as at_us, at, actor, action, subject, change from audit
      where ${matching()} ${after === undefined ? sql`` : sql`and ${isBefore(sql, after)}`}
      order by at desc, audit_id desc offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (select from audit where ${matching()} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}

function isBefore(sql: Sql, key: string) {
  const [atUs = '', auditId = ''] = key.split('.');
  return sql`
    (at, audit_id) < (timestamptz 'epoch' + ${atUs}::bigint * interval '1 microsecond', ${auditId}::bigint)`;
}
