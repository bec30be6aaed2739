// The audit reads history in slices and remembers what it proved: a change of closed history is found by a full audit, no snapshot is
// older than a slice, and an interrupted audit continues.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/store/connect.js';
import { auditMoney } from '../../../src/store/money/audit-money.js';
import type { AuditOptions, AuditProgress } from '../../../src/store/money/audit-run.js';
import type { Sql } from '../../../src/store/sql.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';

const ENTRIES_A_SLICE = 5;
const SMALL = { entriesASlice: ENTRIES_A_SLICE, tasksASlice: 3, closedAfterMs: 0 };

let service: Service;
let customer: ServiceCustomer;
let auditor: Sql;

beforeAll(async () => {
  service = await startService({
    async before({ address }) {
      auditor = connectDatabase(address, { maxConnections: 1, applicationName: 'auditor' });
    },
  });
  await service.addCustomer({ balance: '1' });
  customer = await service.addCustomer({ charge_on: 'submit', balance: '10' });
  for (let nth = 0; nth < 8; nth++) {
    const { task_no } = await customer.send(['13800139001', '13800139003']);
    await customer.completed(task_no);
  }
});
afterAll(async () => {
  await auditor.end();
  await service.stop();
});
beforeEach(async () => {
  await service.sql`delete from audit_slice`;
  await service.sql`delete from audit_run`;
});

const audit = (options: Partial<AuditOptions> = {}) => auditMoney(auditor, { isFull: false, ...SMALL, ...options });
const countEntries = async () => Number((await service.sql`select from ledger_entry`).count);
const countSlices = async () => Number((await service.sql`select from audit_slice`).count);

test('closed slices are remembered, and the next audit names what it did not read', async () => {
  const entries = await countEntries();
  const first = await audit();
  expect(first.imbalances).toEqual([]);
  expect(first.read).toEqual({ entries, tasks: 8 });
  expect(first.notRead.slices).toBe(0);
  const slices = await countSlices();
  expect(slices).toBe(Math.floor((entries - 1) / ENTRIES_A_SLICE) + 2);

  const second = await audit();
  expect(second.imbalances).toEqual([]);
  // A slice of entries and one of tasks are the sample.
  expect(second.notRead.slices).toBe(slices - 2);
  expect(second.read.entries + second.notRead.entries).toBe(entries);
  expect(second.read.tasks + second.notRead.tasks).toBe(8);

  const full = await audit({ isFull: true });
  expect(full).toMatchObject({ imbalances: [], read: { entries, tasks: 8 }, notRead: { slices: 0 } });
  expect(await countSlices()).toBe(slices);
});

const CHANGES = [
  {
    what: 'an entry',
    change: (sql: Sql) => sql`update ledger_entry set remark = 'x' where customer_id = 2 and seq = 7`,
    undo: (sql: Sql) => sql`update ledger_entry set remark = null where customer_id = 2 and seq = 7`,
    detail: /^entries 6 to 10: hash/,
  },
  {
    what: 'a receipt',
    change: (sql: Sql) => sql`
      update receipt set parts = parts + 1 where customer_id = 2
        and task_id = (select task_id from task where customer_id = 2 order by task_id offset 3 limit 1)`,
    undo: (sql: Sql) => sql`
      update receipt set parts = parts - 1 where customer_id = 2
        and task_id = (select task_id from task where customer_id = 2 order by task_id offset 3 limit 1)`,
    detail: /^tasks with ids .*: receipts_hash/,
  },
] as const;

test.each(CHANGES)('$what that is changed in closed history', async ({ change, undo, detail }) => {
  await audit();
  await change(service.sql);
  try {
    const quick = await audit();
    expect(quick.imbalances).toEqual([]);
    expect(quick.notRead.slices).toBeGreaterThan(0);
    for (let turn = 0; turn < 2; turn++) {
      const { imbalances } = await audit({ isFull: true });
      expect(imbalances).toHaveLength(1);
      expect(imbalances[0]).toMatchObject({ customerId: 2n, rule: 'closed history is unchanged' });
      expect(imbalances[0]?.detail).toMatch(detail);
    }
  } finally {
    await undo(service.sql);
  }
  expect((await audit({ isFull: true })).imbalances).toEqual([]);
});

test('the sample takes turns, so that repeated audits find it too', async () => {
  await audit();
  const [change] = CHANGES;
  await change.change(service.sql);
  try {
    const found = [];
    for (let nth = await countSlices(); nth > 0; nth--) found.push(...(await audit()).imbalances);
    expect(found.length).toBeGreaterThan(0);
  } finally {
    await change.undo(service.sql);
  }
});

test('proofs that do not join are named, and one that is missing is made again', async () => {
  const { sql } = service;
  await audit();
  const slices = await countSlices();
  await sql`delete from audit_slice where kind = 'entries' and after_id = 5`;
  expect((await audit()).imbalances).toEqual([]);
  expect(await countSlices()).toBe(slices);
  await sql`
    update audit_slice set figures = figures || '{"available": "1"}' where kind = 'entries' and after_id = 5`;
  expect((await audit()).imbalances[0]).toMatchObject({ rule: 'proofs of closed history join' });
});

test('a slice with a task under way is read until the task has ended', async () => {
  const { sql } = service;
  await sql`update task set stage = 'submit_unknown'
    where task_id = (select task_id from task where customer_id = 2 order by task_id offset 1 limit 1)`;
  await audit();
  const tasksProved = () => sql`select from audit_slice where kind = 'tasks'`;
  expect(await tasksProved()).toHaveLength(1);
  await sql`update task set stage = 'completed' where stage = 'submit_unknown'`;
  await audit();
  expect(await tasksProved()).toHaveLength(2);
});

test('a new entry of a closed task is named', async () => {
  const { sql } = service;
  await audit();
  await sql`
    insert into ledger_entry (bucket, customer_id, seq, type, amount, task_id, numbers, available_delta, frozen_delta,
      available_after, frozen_after, created_at)
    select bucket, customer_id, entry_seq + 1, 'refund', 1, (select min(task_id) from task where customer_id = 2), 1, 1, 0,
      available + 1, frozen, clock_timestamp() from account where customer_id = 2`;
  await sql`update account set entry_seq = entry_seq + 1, available = available + 1 where customer_id = 2`;
  try {
    const rules = (await audit()).imbalances.map(({ rule }) => rule);
    expect(rules).toContain('closed history is unchanged');
  } finally {
    await sql`delete from ledger_entry where customer_id = 2 and seq = (select entry_seq from account where customer_id = 2)`;
    await sql`update account set entry_seq = entry_seq - 1, available = available - 1 where customer_id = 2`;
  }
});

test('no snapshot is older than a slice', async () => {
  const steps: AuditProgress[] = [];
  const held: unknown[] = [];
  await audit({
    isFull: true,
    async onProgress(progress) {
      steps.push(progress);
      held.push(
        ...(await service.sql`
          select state, backend_xmin, xact_start from pg_stat_activity
          where application_name = 'auditor' and datname = current_database()
            and (xact_start is not null or backend_xmin is not null)`),
      );
    },
  });
  expect(held).toEqual([]);
  const entries = await countEntries();
  expect(steps.length).toBeGreaterThan(entries / ENTRIES_A_SLICE);
  for (const [nth, step] of steps.entries()) {
    expect(step.entries - (steps[nth - 1]?.entries ?? 0)).toBeLessThanOrEqual(ENTRIES_A_SLICE);
  }
});

test.each([false, true])('an interrupted audit continues (full: %s)', async (isFull) => {
  const entries = await countEntries();
  if (isFull) await audit();
  const interrupt = new AbortController();
  let readBefore = 0;
  const interrupted = audit({
    isFull,
    signal: interrupt.signal,
    async onProgress(progress) {
      readBefore = progress.entries;
      if (progress.entries > 2 * ENTRIES_A_SLICE) interrupt.abort();
    },
  });
  await expect(interrupted).rejects.toThrow('aborted');
  const { imbalances, read, notRead, continuedFrom } = await audit({ isFull });
  expect(imbalances).toEqual([]);
  expect(read.entries).toBeLessThan(entries);
  expect(notRead.slices).toBeGreaterThan(0);
  expect(readBefore + read.entries).toBeLessThanOrEqual(entries + 2 * ENTRIES_A_SLICE);
  expect(continuedFrom === null).toBe(!isFull);
  expect((await audit({ isFull: true })).notRead.slices).toBe(0);
});
