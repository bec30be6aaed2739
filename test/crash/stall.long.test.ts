// Connections that end while their transaction is idle, on the built service: the process lives.

import { afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import { connectDatabase } from '../../src/store/connect.js';
import { createSender } from '../support/campaign.js';
import { createTestDatabase } from '../support/database.js';
import { buildCode } from '../support/service-process.js';
import { spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const closers: (() => Promise<unknown>)[] = [];
/** More than the buffers of two sockets take, so that a client that does not read holds up its export. */
const ROWS = 60_000;

beforeAll(buildCode);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test('a client that stops reading an export whose connection ends costs the export, not the process', async () => {
  const database = await createTestDatabase();
  closers.push(database.drop);
  const service = await spawnService({ databaseUrl: database.url });
  closers.push(() => service.end('SIGKILL'));
  onTestFailed(() => tell(service.log()));
  const sql = connectDatabase(database.address, { maxConnections: 1, applicationName: 'test' });
  closers.push(() => sql.end({ timeout: 1 }));
  const sender = await createSender(service.url, [], { name: 'ann' });
  await sql`
    insert into receipt (bucket, customer_id, receipt_id, task_id, seq, parts, phone_key, price, phone, firm, result)
    select bucket, customer_id, (extract(epoch from now())::bigint * 1000 << 20) + i, 1, 1, 1, i, 0, '13800138000', 'any', 'delivered'
    from customer cross join generate_series(1::bigint, ${ROWS}) i where customer_no = ${sender.customerNo}`;
  const file = sender.at(service.url).receipts().csv();
  let ended = 0;
  for await (const _ of file) {
    // Nothing is read while this waits.
    while (ended === 0) {
      const rows = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'postrider%' and state = 'idle in transaction'
          and state_change < clock_timestamp() - interval '100 milliseconds'`;
      ended = rows.length;
    }
  }
  // The client goes on by cursor.
  expect(file.rows).toBe(ROWS);
  await until('it is ready', async () => (await fetch(`${service.url}/readyz`)).ok);
  expect(service.child.exitCode).toBeNull();
  expect(await service.end('SIGTERM')).toBe(0);
});
