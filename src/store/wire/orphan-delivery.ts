// Reports whose part is not known yet: the upstream reported before it answered, or answered under another id.

import type { DeliveryStatus } from '../../domain/record/records.js';
import { numericArray } from '../array-literal.js';
import { type Lease, readHeldFences } from '../channel/channel-lease.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql, Sql, Statement } from '../sql.js';

export interface NewOrphan {
  readonly messageKey: string;
  readonly messageId: string;
  /** Our own, where the upstream repeats it. */
  readonly reference: string | null;
  readonly phone: string | null;
  readonly status: DeliveryStatus;
  readonly code: string;
  readonly doneAt: Date | null;
}

export interface Orphan extends NewOrphan {
  readonly orphanId: bigint;
  readonly receivedAt: Date;
}

const ORPHANS = defineRows('o', {
  messageKey: 'text',
  messageId: 'text',
  reference: 'text',
  phone: 'text',
  status: 'text',
  code: 'text',
  doneAt: 'timestamptz',
  position: 'int',
});

/**
 * Keeps reports, and returns their ids in the same order. By the owner of the channel only: another process would keep a
 * report that the owner then never looks at.
 */
export async function insertOrphans(sql: Sql, lease: Lease, orphans: readonly NewOrphan[]): Promise<bigint[]> {
  return await sql.begin(async (tx) => {
    await readHeldFences(tx, [lease]);
    const rows = await tx<{ orphanId: bigint }[]>`
      insert into orphan_delivery (channel_id, message_key, message_id, reference, phone, status, code, done_at)
      select ${lease.channelId}, o.message_key, o.message_id, o.reference, o.phone, o.status, o.code, o.done_at
      from ${ORPHANS.unnest(tx, orphans, { position: orphans.map((_, index) => index) })}
      order by o.position
      returning orphan_id as "orphanId"`;
    return rows.map((row) => row.orphanId);
  });
}

/** The newest orphans of a channel. Those that nothing has matched for long are left to the operator. */
export async function readOrphans(sql: AnySql, channelId: bigint, limit: number): Promise<Orphan[]> {
  return await sql<Orphan[]>`
    select orphan_id as "orphanId", message_key as "messageKey", message_id as "messageId", reference, phone, status,
      code, done_at as "doneAt", received_at as "receivedAt"
    from orphan_delivery where channel_id = ${channelId} order by orphan_id desc limit ${limit}`;
}

export function deleteOrphans(tx: AnySql, orphanIds: readonly bigint[]): Statement {
  return tx`delete from orphan_delivery where orphan_id = any(${numericArray(orphanIds)}::bigint[])`;
}

/** Ends reports that nothing matched within the retention time. Returns how many went, at most `limit`. */
export async function deleteOldOrphans(sql: AnySql, retentionMs: number, limit: number): Promise<number> {
  const rows = await sql`
    delete from orphan_delivery where orphan_id in (
      select orphan_id from orphan_delivery where received_at < now() - ${retentionMs} * interval '1 millisecond'
      order by received_at limit ${limit})
    returning 1 as gone`;
  return rows.length;
}
