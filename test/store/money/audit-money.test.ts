// The audit finds what it is there to find: each rule is broken by hand, in a database whose constraints had to be
// taken off for it, and the audit names it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAll, auditLastEntries } from '../../../src/store/money/audit-money.js';
import type { AnySql } from '../../../src/store/sql.js';
import { type Service, startService } from '../../support/service.js';

let service: Service;
const TABLES = ['account', 'ledger_entry', 'receipt', 'task'] as const;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_UNKNOWN_TIMEOUT: '1h' } });
  for (const charge_on of ['submit', 'delivery'] as const) {
    const customer = await service.addCustomer({ charge_on, refund_on_failure: true, balance: '10' });
    const sent = await customer.send(['13800139001', '13800139002', '13800139003', '123']);
    await customer.completed(sent.task_no);
    const open = await customer.send(['13800139005', '13800139001']);
    await customer.taskWhen(open.task_no, (task) => task.stage === 'submit_unknown' && task.counts.delivered === 1);
    await service.operator.adjust(customer.customerNo, { amount: '-1', remark: 'a mistake' });
  }
  expect(await auditAll(service.sql)).toEqual([]);
  expect(await auditLastEntries(service.sql)).toEqual([]);
  await dropConstraints(service.sql);
});
afterAll(() => service.stop());

async function dropConstraints(sql: AnySql): Promise<void> {
  const checks = await sql<{ table: string; name: string }[]>`
    select conrelid::regclass::text as "table", conname as name from pg_constraint
    where contype in ('c', 'p') and conrelid::regclass::text in ('account', 'ledger_entry', 'task')`;
  for (const { table, name } of checks) await sql`alter table ${sql(table)} drop constraint ${sql(name)}`;
}

const ACCOUNT = 'the account stands where its last entry left it';
const CARRIED = 'each entry carries the balances after it';
const GAPS = 'entries are numbered without gaps';
const HOLD = 'hold = its entries';
const RECEIPTS = 'a completed task has its receipts';

/** Each changes one customer's rows; a subselect keeps it to one row where one is enough. */
const DAMAGES: readonly { what: string; damage: (sql: AnySql) => Promise<unknown>; rules: readonly string[] }[] = [
  {
    what: 'money out of nothing',
    damage: (sql) => sql`update account set available = available + 1 where customer_id = 1`,
    rules: [ACCOUNT],
  },
  {
    what: 'more frozen than is held',
    damage: (sql) => sql`update account set frozen = frozen + 1 where customer_id = 1`,
    rules: [ACCOUNT],
  },
  {
    what: 'money that moved from frozen to available by itself',
    damage: (sql) =>
      sql`update account set frozen = frozen - 50000, available = available + 50000 where customer_id = 1`,
    rules: [ACCOUNT],
  },
  {
    what: 'an entry that is gone',
    damage: (sql) => sql`delete from ledger_entry where customer_id = 1 and seq = 1`,
    rules: [GAPS],
  },
  {
    what: 'a charge that is gone',
    damage: (sql) => sql`
      delete from ledger_entry e where customer_id = 1
        and seq = (select min(seq) from ledger_entry where customer_id = 1 and type = 'charge')`,
    rules: [GAPS, HOLD],
  },
  {
    what: 'an entry under another number',
    damage: (sql) => sql`
      update ledger_entry set seq = 1000 where customer_id = 1
        and seq = (select max(seq) from ledger_entry where customer_id = 1)`,
    rules: [ACCOUNT, GAPS],
  },
  {
    what: 'balances after an entry that are not those',
    damage: (sql) =>
      sql`update ledger_entry set available_after = available_after + 1 where customer_id = 1 and seq = 2`,
    rules: [CARRIED],
  },
  {
    what: 'an entry of another amount',
    damage: (sql) => sql`update ledger_entry set amount = amount + 1 where customer_id = 1 and type = 'release'`,
    rules: [HOLD],
  },
  {
    what: 'an entry of another task',
    damage: (sql) => sql`update ledger_entry set task_id = 5 where customer_id = 1 and type = 'freeze' and seq = 2`,
    rules: [HOLD],
  },
  {
    what: 'a hold that was charged without an entry',
    damage: (sql) => sql`
      update task set charged = charged + 50000 where customer_id = 1 and charged + released < frozen`,
    rules: [HOLD],
  },
  {
    what: 'a refund without an entry',
    damage: (sql) => sql`update task set refunded = refunded + 1 where customer_id = 1`,
    rules: [HOLD],
  },
  {
    what: 'a hold that is gone',
    damage: (sql) => sql`update task set frozen = 0, charged = 0 where customer_id = 1 and charged + released < frozen`,
    rules: [HOLD],
  },
  {
    what: 'a receipt that is gone',
    damage: (sql) => sql`delete from receipt where customer_id = 1 and result = 'undelivered'`,
    rules: [RECEIPTS],
  },
  {
    what: 'a second receipt of a number',
    damage: (sql) => sql`update receipt set seq = 1 where customer_id = 1 and seq = 2 and result = 'undelivered'`,
    rules: [RECEIPTS],
  },
  {
    what: 'a task that was called completed too early',
    damage: (sql) => sql`update task set stage = 'completed' where customer_id = 1 and stage = 'submit_unknown'`,
    rules: [RECEIPTS],
  },
];

async function putBack(): Promise<void> {
  for (const table of TABLES) {
    const name = service.sql(table);
    await service.sql`delete from ${name} where customer_id = 1`;
    await service.sql`insert into ${name} select * from ${service.sql(`kept_${table}`)}`;
  }
}

test.each(DAMAGES)('$what', async ({ damage, rules }) => {
  for (const table of TABLES) {
    const kept = service.sql(`kept_${table}`);
    await service.sql`drop table if exists ${kept}`;
    await service.sql`create table ${kept} as select * from ${service.sql(table)} where customer_id = 1`;
  }
  try {
    await damage(service.sql);
    const found = await auditAll(service.sql);
    expect([...new Set(found.map((imbalance) => imbalance.rule))].sort()).toEqual([...rules].sort());
    expect(found.every((imbalance) => imbalance.customerId === 1n)).toBe(true);
  } finally {
    await putBack();
  }
  expect(await auditAll(service.sql)).toEqual([]);
});

test('the quick look at start-up sees an account that does not stand where its last entry left it', async () => {
  for (const column of ['available', 'frozen', 'entry_seq'] as const) {
    const name = service.sql(column);
    await service.sql`update account set ${name} = ${name} + 1 where customer_id = 2`;
    expect(await auditLastEntries(service.sql)).toMatchObject([{ customerId: 2n }]);
    await service.sql`update account set ${name} = ${name} - 1 where customer_id = 2`;
  }
  expect(await auditLastEntries(service.sql)).toEqual([]);
});

// Last, because it cannot be put back.
test('a month of receipts that was dropped is no loss', async () => {
  const { sql } = service;
  const month = new Date().toISOString().slice(0, 7).replace('-', '_');
  await sql`drop table ${sql(`receipt_${month}`)}`;
  expect(await sql`select 1 from receipt`).toHaveLength(0);
  expect(await auditAll(sql)).toEqual([]);
});
