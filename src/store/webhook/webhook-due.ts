// Due cursors. A cursor is due from the commit that makes its customer's history grow until a pusher has delivered everything: a look for
// work reads what is due and nothing else, however many endpoints there are.

import { followsLedger, LEDGER_EVENTS } from '../../domain/entities/webhook-events.js';
import { textArray } from '../array-literal.js';
import type { Condition } from '../condition.js';
import type { AnySql } from '../sql.js';
import { type DueCursor, ownCursor } from './webhook-cursor.js';

/** Dead index entries stay while any snapshot is open, so that a poll skips old ones; a full poll runs rarely. */
const RECENT = '2 minutes';

/** The cursors of a bucket that are due and not claimed, the longest due first. */
export async function readDueCursors(
  sql: AnySql,
  bucket: number,
  { now, isFull }: { readonly now: Date; readonly isFull: boolean },
): Promise<DueCursor[]> {
  const rows = await sql<Omit<DueCursor, 'bucket'>[]>`
    select c.customer_id as "customerId", c.webhook_id as "webhookId", c.event, c.position, c.message_end as "messageEnd",
      c.failures, c.failing_since as "failingSince", c.token, c.replay_until as "replayUntil", ${headColumn(sql)} as head
    from webhook_cursor c
    join account a on a.bucket = c.bucket and a.customer_id = c.customer_id
    where c.bucket = ${bucket} and c.due_at <= greatest(now(), ${now}::timestamptz)
      ${isFull ? sql`` : sql`and c.due_at > now() - ${RECENT}::interval`}
      and (c.lease_until is null or c.lease_until <= now())
    order by c.due_at`;
  return rows.map((row) => ({ ...row, bucket }));
}

/** Marks what a process of an older release recorded without marking it. Reads every cursor: called rarely. */
export async function markMissedCursors(sql: AnySql, bucket: number): Promise<void> {
  await sql`
    update webhook_cursor c set due_at = now() from account a
    where c.bucket = ${bucket} and a.bucket = c.bucket and a.customer_id = c.customer_id and c.due_at is null
      and c.position < ${headColumn(sql)}`;
}

/**
 * `retired`: the cursor is not due any more. `grown`: more events are due. `busy`: another transaction has locked the account or moved the
 * cursor, and the cursor may still be due.
 */
export type Retirement = 'retired' | 'grown' | 'busy';

/**
 * Nothing is left up to the head: the cursor moves there and is not due any more. A lock on the account keeps the history from growing
 * meanwhile. It does not wait for the lock: a customer with hundreds of calls that wait for its account would hold a connection of the
 * shared pool for each of its cursors.
 */
export async function retireCursor(sql: AnySql, cursor: DueCursor): Promise<Retirement> {
  const { bucket, customerId, event, head } = cursor;
  const headOf = followsLedger(event) ? sql`entry_seq` : sql`record_id`;
  const own = sql`bucket = ${bucket} and customer_id = ${customerId}`;
  const rows = await sql`
    update webhook_cursor c set position = ${head}, due_at = null, replay_until = null
    from (select ${headOf} as head from account where ${own} for share skip locked) as a
    where ${ownCursor(sql, cursor, 'c')} and c.token = ${cursor.token} and c.position = ${cursor.position}
      and c.message_end is null and c.due_at < 'infinity' and a.head = ${head}
    returning 1 as retired`;
  if (rows.length > 0) return 'retired';
  const [account] = await sql<{ head: bigint }[]>`select ${headOf} as head from account where ${own}`;
  return account?.head === head ? 'busy' : 'grown';
}

/** An active endpoint is looked at at once, a disabled one never. */
export function dueOf(sql: AnySql, status: 'active' | 'disabled'): Condition {
  return status === 'active' ? sql`now()` : sql`'infinity'::timestamptz`;
}

function headColumn(sql: AnySql): Condition {
  return sql`case when c.event = any(${textArray(LEDGER_EVENTS)}::text[]) then a.entry_seq else a.record_id end`;
}
