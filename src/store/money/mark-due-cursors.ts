// Marks the webhook cursors of the accounts that have grown, in the transaction that makes them grow and under their locks.
// store/webhook/webhook-due.ts reads what is due.

import { LEDGER_EVENTS } from '../../domain/entities/webhook-events.js';
import type { Account } from '../../domain/money/ledger.js';
import { numericArray, textArray } from '../array-literal.js';
import type { AnySql, Statement } from '../sql.js';

export function markDueCursors(tx: AnySql, bucket: number, accounts: readonly Account[]): Statement | false {
  const listened = accounts.filter(({ hasWebhooks }) => hasWebhooks);
  const recorded = listened.filter(({ recordId, locked }) => recordId !== locked.recordId);
  const posted = listened.filter(({ entrySeq, locked }) => entrySeq !== locked.entrySeq);
  if (recorded.length + posted.length === 0) return false;
  const ids = (some: readonly Account[]) => tx`${numericArray(some.map((account) => account.customerId))}::bigint[]`;
  return tx`
    update webhook_cursor set due_at = now()
    where bucket = ${bucket} and customer_id = any(${ids([...recorded, ...posted])}) and due_at is null
      and customer_id = any(case when event = any(${textArray(LEDGER_EVENTS)}::text[])
        then ${ids(posted)} else ${ids(recorded)} end)`;
}
