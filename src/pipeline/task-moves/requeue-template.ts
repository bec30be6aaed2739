// After a change of a template's class: moves the queued chunks of its tasks to the queues of the new class.

import { nextQueueNo } from '../../domain/money/ledger.js';
import type { MessageClass } from '../../domain/rules/message-class.js';
import type { Tenant } from '../../domain/tenant.js';
import { queueChunks } from '../../store/chunk/chunk.js';
import { readQueuedOutsideClass } from '../../store/chunk/dispatch-queue.js';
import { lockAccount, writeAccounts } from '../../store/money/account.js';
import { runTogether } from '../../store/run-together.js';
import type { Sql } from '../../store/sql.js';
import type { Wake } from '../wake.js';

/** Chunks per transaction: bounds how long it locks the account. */
const CHUNKS_A_PAGE = 500;

/** Idempotent: after an interruption, the next call moves the rest. */
export async function requeueTemplate(
  { sql, wake }: { readonly sql: Sql; readonly wake: Wake },
  tenant: Tenant,
  templateId: bigint,
  messageClass: MessageClass,
): Promise<void> {
  const { bucket } = tenant;
  for (let moved = CHUNKS_A_PAGE; moved === CHUNKS_A_PAGE; ) {
    moved = await sql.begin(async (tx) => {
      const { account, now } = await lockAccount(tx, tenant);
      const keys = await readQueuedOutsideClass(tx, tenant, templateId, messageClass, CHUNKS_A_PAGE);
      if (keys.length === 0) return 0;
      const places = keys.map(() => nextQueueNo(account, messageClass));
      await runTogether(tx, [queueChunks(tx, bucket, keys, places, now), ...writeAccounts(tx, bucket, [account])]);
      return keys.length;
    });
    if (moved > 0) wake.notify('dispatch', bucket);
  }
}
