// Keeps the sums over the history, in steps: behind the customers who send, by every worker, and up to the last row for
// whoever asks.

import type { Tenant } from '../domain/ledger.js';
import type { Sql } from '../store/connect.js';
import { lockReader, readUnsummed, sumEntries, sumReceipts } from '../store/history-sums.js';

/** Rows of a step: a fraction of a second. */
const ROWS_A_STEP = 20_000;
const CUSTOMERS_A_ROUND = 50;
/** How far whoever asks waits for: some millions of rows, which a worker that runs has never left behind. */
const MAX_STEPS_ON_DEMAND = 200;

/** One step for each customer of whom there is something new; true when there may be more. */
export async function sumRound(sql: Sql, bucket: number): Promise<boolean> {
  const customerIds = await readUnsummed(sql, bucket, CUSTOMERS_A_ROUND);
  let isMore = customerIds.length === CUSTOMERS_A_ROUND;
  for (const customerId of customerIds) {
    if ((await sumStep(sql, { bucket, customerId }, false)) === 'more') isMore = true;
  }
  return isMore;
}

/** Until everything that was committed before is in the sums. False when that is too much to wait for. */
export async function sumToTheEnd(sql: Sql, tenant: Tenant): Promise<boolean> {
  for (let step = 0; step < MAX_STEPS_ON_DEMAND; step++) {
    if ((await sumStep(sql, tenant, true)) !== 'more') return true;
  }
  return false;
}

async function sumStep(sql: Sql, tenant: Tenant, isWaiting: boolean): Promise<'more' | 'done' | 'busy'> {
  return (await sql.begin(async (tx) => {
    // A step that is lost in a crash is made again: its sums and its position go together.
    await tx`set local synchronous_commit = off`;
    const reader = await lockReader(tx, tenant, isWaiting);
    if (reader === undefined) return 'busy';
    const moreReceipts = await sumReceipts(tx, tenant, reader, ROWS_A_STEP);
    const moreEntries = await sumEntries(tx, tenant, reader, ROWS_A_STEP);
    return moreReceipts || moreEntries ? 'more' : 'done';
  })) as 'more' | 'done' | 'busy';
}
