// Inbound messages of customers, and unclaimed ones.

import type { CustomerId, TaskId } from '../../domain/id.js';
import { nextRecordId } from '../../domain/money/ledger.js';
import type { Tenant } from '../../domain/tenant.js';
import { type Lease, readHeldFences } from '../channel/channel-lease.js';
import { lockAccounts, noteOptOut, writeAccounts } from '../money/account.js';
import { runTogether } from '../run-together.js';
import type { AnySql, Sql } from '../sql.js';

export interface NewUplink extends Tenant {
  readonly channelId: bigint;
  readonly serviceAccountId: bigint;
  readonly taskId: TaskId | null;
  readonly phone: string;
  readonly phoneKey: string;
  readonly firm: string | null;
  readonly content: string;
  readonly incomplete: boolean;
  /** What the key of the sender is where it was erased. */
  readonly erasedKey?: string | undefined;
  /** The same for the same message sent again by its upstream. */
  readonly fingerprint: string;
}

/** An upstream that had no acknowledgement sends again within this time. */
export const REPEAT_WITHIN_MS = 60_000;

/**
 * Which stored uplinks of its sender an uplink may repeat: none; the last one, because STOP, START and STOP again are three messages; or
 * any, if the message has an id.
 */
export type MayRepeat = 'none' | 'last' | 'any';

/**
 * Stores an uplink and, in the same transaction, what its sender wishes by it. Under the customer's lock, which numbers it, and
 * the channel's fence. A repetition changes nothing.
 */
export async function insertUplink(
  sql: Sql,
  lease: Lease,
  uplink: NewUplink,
  wish: 'stop' | 'start' | undefined,
  mayRepeat: MayRepeat,
): Promise<void> {
  const { bucket, customerId, phoneKey, phone } = uplink;
  await sql.begin(async (tx) => {
    const { accounts, now } = await lockAccounts(tx, bucket, [customerId], [lease]);
    const [account] = accounts.values();
    if (account === undefined) return;
    const uplinkId = nextRecordId(account, now);
    const since = BigInt(now.getTime() - REPEAT_WITHIN_MS) << 20n;
    const recent = await tx<{ fingerprint: string | null }[]>`
      select fingerprint from uplink
      where bucket = ${bucket} and customer_id = ${customerId} and phone_key = ${phoneKey} and uplink_id > ${since}
      order by uplink_id desc limit ${RECENT[mayRepeat]}`;
    if (recent.some(({ fingerprint }) => fingerprint === uplink.fingerprint)) return;
    await tx`
      insert into uplink (bucket, customer_id, uplink_id, phone_key, service_account_id, channel_id, task_id, phone, firm,
        content, incomplete, fingerprint)
      values (${bucket}, ${customerId}, ${uplinkId}, ${phoneKey}, ${uplink.serviceAccountId}, ${uplink.channelId},
        ${uplink.taskId}, ${phone}, ${uplink.firm}, ${uplink.content}, ${uplink.incomplete}, ${uplink.fingerprint})`;
    await runTogether(tx, writeAccounts(tx, bucket, [account]));
    if (wish === 'stop') {
      await noteOptOut(tx, { bucket, customerId });
      await tx`
        insert into opt_out (bucket, customer_id, phone_key, phone, source)
        values (${bucket}, ${customerId}, ${phoneKey}, ${phone}, 'uplink')
        on conflict do nothing`;
    } else if (wish === 'start') {
      await tx`
        delete from opt_out
        where bucket = ${bucket} and customer_id = ${customerId}
          and phone_key in (${phoneKey}, ${uplink.erasedKey ?? phoneKey})`;
    }
  });
}

/** How many of its sender are compared; one handset does not write more in the time. */
const RECENT: Record<MayRepeat, number> = { none: 0, last: 1, any: 100 };

export interface NewUnclaimedUplink {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly incomplete: boolean;
  /** The same for the same message sent again by its upstream. */
  readonly fingerprint: string;
}

/** A repetition changes nothing. No lock separates two concurrent ones: the caller stores them one after the other. */
export async function insertUnclaimedUplink(
  sql: Sql,
  lease: Lease,
  uplink: NewUnclaimedUplink,
  mayRepeat: MayRepeat,
): Promise<void> {
  const { from, to, text, incomplete, fingerprint } = uplink;
  await sql.begin(async (tx) => {
    await readHeldFences(tx, [lease]);
    const stored = await tx<{ fingerprint: string | null; isRecent: boolean }[]>`
      select fingerprint, received_at > now() - ${REPEAT_WITHIN_MS} * interval '1 millisecond' as "isRecent"
      from unclaimed_uplink where channel_id = ${lease.channelId} and sender = ${from}
      order by unclaimed_uplink_id desc limit ${RECENT[mayRepeat]}`;
    if (stored.some((row) => row.isRecent && row.fingerprint === fingerprint)) return;
    await tx`
      insert into unclaimed_uplink (channel_id, sender, recipient, content, incomplete, fingerprint)
      values (${lease.channelId}, ${from}, ${to}, ${text}, ${incomplete}, ${fingerprint})`;
  });
}

/** Deletes unclaimed uplinks after the retention time. Returns how many, at most `limit`. */
export async function deleteOldUnclaimedUplinks(sql: AnySql, retentionMs: number, limit: number): Promise<number> {
  const rows = await sql`
    delete from unclaimed_uplink where unclaimed_uplink_id in (
      select unclaimed_uplink_id from unclaimed_uplink
      where received_at < now() - ${retentionMs} * interval '1 millisecond'
      order by received_at limit ${limit})
    returning 1 as gone`;
  return rows.length;
}

export interface LastMessage {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly channelId: bigint;
  readonly phone: string;
  readonly firm: string;
  readonly submitId: bigint;
}

/** The latest part that each of these customers sent to a number. */
export async function readLastMessages(
  sql: AnySql,
  tenants: readonly Tenant[],
  phoneKey: string,
): Promise<LastMessage[]> {
  const found = await Promise.all(
    tenants.map(
      ({ bucket, customerId }) => sql<LastMessage[]>`
        select customer_id as "customerId", task_id as "taskId", channel_id as "channelId", phone, firm, submit_id as "submitId"
        from submit
        where bucket = ${bucket} and customer_id = ${customerId} and phone_key = ${phoneKey}
        order by submit_id desc limit 1`,
    ),
  );
  return found.flat();
}
