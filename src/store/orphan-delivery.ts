// Reports whose part is not known yet: the upstream reported before it answered, or answered under another id.

import type { DeliveryStatus } from '../domain/chunk-state.js';
import { numericArray } from './array-literal.js';
import { type Lease, LeaseLostError } from './channel-lease.js';
import type { AnySql, Statement } from './connect.js';

export interface NewOrphan {
  readonly messageKey: string;
  readonly messageId: string;
  readonly phone: string | null;
  readonly status: DeliveryStatus;
  readonly code: string;
  readonly doneAt: Date | null;
}

export interface Orphan extends NewOrphan {
  readonly channelId: bigint;
  readonly orphanId: bigint;
  readonly receivedAt: Date;
}

/** Kept by the owner of the channel only: another process would keep a report that the owner then never looks at. */
export async function insertOrphan(sql: AnySql, lease: Lease, orphan: NewOrphan): Promise<bigint> {
  const [row] = await sql<{ orphanId: bigint }[]>`
    insert into orphan_delivery (channel_id, message_key, message_id, phone, status, code, done_at)
    select channel_id, ${orphan.messageKey}, ${orphan.messageId}, ${orphan.phone}, ${orphan.status}, ${orphan.code},
      ${orphan.doneAt}::timestamptz
    from channel_lease where channel_id = ${lease.channelId} and token = ${lease.token} for share
    returning orphan_id as "orphanId"`;
  if (row === undefined) throw new LeaseLostError([lease.channelId]);
  return row.orphanId;
}

/** The newest orphans of a channel. Those that nothing has matched for long are left to the operator. */
export async function readOrphans(sql: AnySql, channelId: bigint, limit: number): Promise<Orphan[]> {
  return await sql<Orphan[]>`
    select orphan_id as "orphanId", channel_id as "channelId", message_key as "messageKey", message_id as "messageId",
      phone, status, code, done_at as "doneAt", received_at as "receivedAt"
    from orphan_delivery where channel_id = ${channelId} order by orphan_id desc limit ${limit}`;
}

export function deleteOrphans(tx: AnySql, orphanIds: readonly bigint[]): Statement {
  return tx`delete from orphan_delivery where orphan_id = any(${numericArray(orphanIds)}::bigint[])`;
}
