// A full disk is no fault of a customer: none is quarantined for it, and all continue when there is room.

import { beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../src/store/sql.js';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';

let service: Service;
let customers: ServiceCustomer[];

beforeAll(async () => {
  service = await startService();
  customers = await Promise.all([service.addCustomer(), service.addCustomer()]);
  await service.sql.unsafe(`
    create sequence refusals;
    create function refuse() returns trigger language plpgsql as $$ begin
      perform nextval('refusals');
      raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
    end $$`);
  return () => service.stop();
});

async function fillDisk(sql: Sql, table: string): Promise<void> {
  await sql`select setval('refusals', 1)`;
  await sql.unsafe(`create trigger full_disk before insert on ${table} for each row execute function refuse()`);
}

/** Also of transactions that were rolled back. */
async function refusals(sql: Sql, count: bigint): Promise<void> {
  await until(async () => {
    const [row] = await sql<{ last: bigint }[]>`select last_value as last from refusals`;
    return (row?.last ?? 0n) > count;
  });
}

test.each([
  ['chunk', 3n],
  // What came back from a channel is tried eight times before anybody is blamed for anything that passes.
  ['submit', 9n],
  ['receipt', 9n],
])(
  'a disk that is full when a row of %s is written stops everything, and no customer is quarantined',
  async (table, tries) => {
    const { sql, operator } = service;
    await fillDisk(sql, table);
    const tasks = await Promise.all(customers.map((customer) => customer.send(['13900000001', '13900000002'])));
    await refusals(sql, tries);
    expect((await operator.setAside().page()).items).toEqual([]);
    await sql.unsafe(`drop trigger full_disk on ${table}`);
    for (const [at, customer] of customers.entries()) {
      const { counts } = await customer.completed(tasks[at]?.task_no ?? '');
      expect(counts).toMatchObject({ total: 2, delivered: 2 });
    }
  },
);

test('a stop does not wait for room on the disk', async () => {
  await fillDisk(service.sql, 'receipt');
  await customers[0]?.send(['13900000001']);
  await refusals(service.sql, 2n);
  await service.stop();
});
