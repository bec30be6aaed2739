// Updates the sums over the history in steps: in the background by every worker, and up to the last row for a query.

import type { CustomerId } from '../../domain/id.js';
import type { Tenant } from '../../domain/tenant.js';
import { isSummedUp, lockReaders, readUnsummed, sumEntries, sumReceipts } from '../../store/money/history-sums.js';
import type { Sql } from '../../store/sql.js';
import type { Quarantine } from '../quarantine/quarantine.js';

/** Rows per step: a fraction of a second. */
const ROWS_A_STEP = 20_000;
const CUSTOMERS_A_STEP = 200;
/** How much a query waits for: some millions of rows, more than a running worker ever leaves. */
const MAX_STEPS_ON_DEMAND = 200;

/** One step for every customer with new rows, many per transaction. Returns how many customers, and whether there may be more. */
export async function sumRound(
  { sql, quarantine }: { readonly sql: Sql; readonly quarantine: Quarantine },
  bucket: number,
): Promise<{ readonly found: number; readonly isMore: boolean }> {
  let isMore = false;
  let found = 0;
  const passed = quarantine.waitingCustomers('sum', bucket);
  for (let after: CustomerId | 0n | undefined = 0n; after !== undefined; ) {
    const customerIds: CustomerId[] = await readUnsummed(sql, bucket, after, CUSTOMERS_A_STEP);
    found += customerIds.length;
    const due = customerIds.filter((id) => !passed.has(id)).map((customerId) => ({ customerId }));
    await quarantine.run('sum', bucket, due, async (owners) => {
      const ids = owners.map(({ customerId }) => customerId);
      if (await sumStep(sql, bucket, ids, false)) isMore = true;
    });
    after = customerIds.length === CUSTOMERS_A_STEP ? customerIds.at(-1) : undefined;
  }
  return { found, isMore };
}

/** Resolves when everything committed before is in the sums. False if that is too much to wait for. */
export async function sumToTheEnd(sql: Sql, { bucket, customerId }: Tenant): Promise<boolean> {
  // The sums of an idle customer are up to date, and checking takes a statement instead of a transaction.
  if (await isSummedUp(sql, bucket, customerId)) return true;
  for (let step = 0; step < MAX_STEPS_ON_DEMAND; step++) {
    if (!(await sumStep(sql, bucket, [customerId], true))) return true;
  }
  return false;
}

/** The same for all customers of a bucket. */
export async function sumAllToTheEnd(sql: Sql, bucket: number): Promise<boolean> {
  for (let step = 0; step < MAX_STEPS_ON_DEMAND; step++) {
    const customerIds = await readUnsummed(sql, bucket, 0n, CUSTOMERS_A_STEP);
    if (customerIds.length === 0) return true;
    await sumStep(sql, bucket, customerIds, true);
  }
  return false;
}

async function sumStep(
  sql: Sql,
  bucket: number,
  customerIds: readonly CustomerId[],
  isWaiting: boolean,
): Promise<boolean> {
  return await sql.begin(async (tx) => {
    // A step that is lost in a crash is repeated: its sums and its position are one transaction.
    await tx`set local synchronous_commit = off`;
    const readers = await lockReaders(tx, bucket, customerIds, isWaiting);
    if (readers.length === 0) return false;
    const rowsEach = Math.ceil(ROWS_A_STEP / readers.length);
    const moreReceipts = await sumReceipts(tx, bucket, readers, rowsEach);
    const moreEntries = await sumEntries(tx, bucket, readers, rowsEach);
    return moreReceipts || moreEntries;
  });
}
