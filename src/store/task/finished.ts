// The ends of tasks as a log. Only for customers with a webhook for them: the number has an index, and an update that changes
// it costs several times one that stays within its page.

import type { CustomerId } from '../../domain/id.js';
import { type Account, nextRecordId } from '../../domain/money/ledger.js';
import { isFinal } from '../../domain/task/stages.js';
import type { TaskChange } from '../../domain/task/task.js';
import { bucketOfKey } from '../bucket.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql, Statement } from '../sql.js';

const ENDS = defineRows('e', { customerId: 'bigint', taskId: 'bigint', finishedId: 'bigint' });

/**
 * Numbers the tasks that end with these changes, in the order of commits like every record. The numbers are taken at once,
 * before the accounts are written; the statement is to run after the one that writes the changes.
 */
export function logFinished(
  tx: AnySql,
  bucket: number,
  accounts: ReadonlyMap<CustomerId, Account>,
  changes: readonly TaskChange[],
  now: Date,
): Statement | false {
  const ends = changes.flatMap(({ customerId, taskId, stage }) => {
    const account = isFinal(stage) ? accounts.get(customerId) : undefined;
    return account?.notifiesFinished === true ? [{ customerId, taskId, finishedId: nextRecordId(account, now) }] : [];
  });
  if (ends.length === 0) return false;
  return tx`
    update task t set finished_id = e.finished_id
    from ${ENDS.unnest(tx, ends)}
    where t.bucket = ${bucketOfKey(tx, bucket, 'e')} and t.customer_id = e.customer_id and t.task_id = e.task_id and t.finished_id is null`;
}
