// The end of a month is an event without a record. Customers with an endpoint for it get an empty place in their log when it has passed, so
// that their cursors are due although nothing is sent.

import { asCustomerId, firstIdAt } from '../../domain/id.js';
import { dayAt, startOfDay } from '../../domain/local-time.js';
import { nextRecordId } from '../../domain/money/ledger.js';
import { lockAccount, writeAccounts } from '../money/account.js';
import { runTogether } from '../run-together.js';
import type { Sql } from '../sql.js';

/** Reads the cursors of one event: called rarely. */
export async function passMonthEnds(sql: Sql, bucket: number, nowMs: number): Promise<void> {
  const rows = await sql<{ customer_id: bigint; zone: string; record_id: bigint }[]>`
    select distinct a.customer_id, c.billing_time_zone as zone, a.record_id
    from webhook_cursor w
    join account a on a.bucket = w.bucket and a.customer_id = w.customer_id
    join customer c on c.customer_id = a.customer_id
    where w.bucket = ${bucket} and w.event = 'statement.ready'`;
  for (const { customer_id: id, zone, record_id: recordId } of rows) {
    const monthStart = startOfDay(zone, `${dayAt(zone, nowMs).slice(0, 7)}-01`);
    if (recordId >= firstIdAt(new Date(monthStart))) continue;
    await sql.begin(async (tx) => {
      const { account, now } = await lockAccount(tx, { bucket, customerId: asCustomerId(id) });
      nextRecordId(account, now);
      await runTogether(tx, writeAccounts(tx, bucket, [account]));
    });
  }
}
