// The price of a number in statements: batches cost statements, numbers do not. Every statement of the service is counted
// on its connections.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Options } from '../../../src/store/driver/index.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

const counted = vi.hoisted(() => ({ isOn: false, byText: new Map<string, number>() }));

vi.mock('../../../src/store/driver/index.js', async (importOriginal) => {
  const driver = await importOriginal<typeof import('../../../src/store/driver/index.js')>();
  const debug = (_connection: number, text: string): void => {
    if (counted.isOn) counted.byText.set(text, (counted.byText.get(text) ?? 0) + 1);
  };
  const postgres = (first: string | Options, second?: Options) =>
    typeof first === 'string' ? driver.postgres(first, { ...second, debug }) : driver.postgres({ ...first, debug });
  return { ...driver, postgres };
});

const NUMBERS = 5000;
/** The first statement of a transaction that writes for customers. */
const WRITING = /from account\s+where[^;]*for update|insert into task /;

let service: Service;
let customer: ServiceCustomer;

beforeAll(async () => {
  service = await startService();
  customer = await service.addCustomer({ charge_on: 'delivery' });
});
afterAll(() => service.stop());

interface Tally {
  readonly total: number;
  /** Transactions that lock accounts or store requests: those that write. */
  readonly writing: number;
  /** The statement that ran most often, and how often. */
  readonly most: number;
  readonly text: string;
}

/** Counts what runs until every task is completed. Asking for that is part of the count, and rare. */
async function count(run: () => Promise<unknown>): Promise<Tally> {
  counted.byText.clear();
  counted.isOn = true;
  await run();
  await until(async () => (await openTasks()) === 0);
  counted.isOn = false;
  const ranked = [...counted.byText].sort((a, b) => b[1] - a[1]);
  const [text = '', most = 0] = ranked[0] ?? [];
  const sumOf = (some: typeof ranked) => some.reduce((sum, [, times]) => sum + times, 0);
  const writing = ranked.filter(([one]) => WRITING.test(one));
  return { total: sumOf(ranked), writing: sumOf(writing), most, text: text.replace(/\s+/g, ' ').trim() };
}

async function openTasks(): Promise<number> {
  const [row] = await service.sql`select count(*)::int as open from task where stage <> 'completed'`;
  return row?.open;
}

async function countRows(): Promise<number> {
  const tables = ['submit', 'delivery', 'receipt', 'ledger_entry', 'task'];
  let rows = 0;
  for (const table of tables) {
    const [row] = await service.sql`select count(*)::int as rows from ${service.sql(table)}`;
    rows += row?.rows;
  }
  return rows;
}

function report(name: string, { total, writing, most, text }: Tally, rows: number, numbers = NUMBERS): void {
  const each = (figure: number) => (figure / numbers).toFixed(3);
  process.stdout.write(
    `${name}: ${each(total)} statements, ${each(writing)} transactions that write and ${each(rows)} rows a number; most often, ${most} times: ${text.slice(0, 80)}\n`,
  );
}

test('5,000 numbers in one task', async () => {
  const before = await countRows();
  const phones = Array.from({ length: NUMBERS }, (_, index) => String(13_800_100_000 + index));
  const tally = await count(() => customer.send(phones));
  const rows = (await countRows()) - before;
  report('one task', tally, rows);
  // Fifty windows of a hundred parts, each with an intent, answers and reports: a handful of statements for each.
  expect(tally.total).toBeLessThan(NUMBERS / 5);
  expect(tally.most).toBeLessThan(NUMBERS / 20);
  expect(rows).toBeLessThan(NUMBERS * 2.2);
  const [row] = await service.sql`select count(*)::int as receipts from receipt where result = 'delivered'`;
  expect(row?.receipts).toBe(NUMBERS);
});

test('5,000 tasks of one number', async () => {
  const before = await countRows();
  const phones = Array.from({ length: NUMBERS }, (_, index) => String(13_800_200_000 + index));
  const sendAll = async () => {
    // As many requests under way at a time as make the acceptor share its commits.
    const sender = async () => {
      for (let phone = phones.pop(); phone !== undefined; phone = phones.pop()) await customer.send([phone]);
    };
    await Promise.all(Array.from({ length: 100 }, sender));
  };
  const tally = await count(sendAll);
  const rows = (await countRows()) - before;
  report('many tasks', tally, rows);
  // A dozen statements for the tasks that wait together, and how many those are depends on the machine: 0.8 statements a task were
  // seen on a quiet one, 1.5 on a busy one. Each task alone takes about twenty.
  expect(tally.total).toBeLessThan(NUMBERS * 3);
  expect(tally.most).toBeLessThan(NUMBERS / 4);
  // A task row, a freeze and a charge, and two records.
  expect(rows).toBeLessThan(NUMBERS * 5.2);
  expect(service.complaints).toEqual([]);
});

test('1,000 numbers of a hundred customers', async () => {
  const customers: ServiceCustomer[] = [];
  for (let count = 0; count < 100; count++) customers.push(await service.addCustomer());
  const before = await countRows();
  const phonesOf = (at: number) => Array.from({ length: 10 }, (_, index) => String(13_800_300_000 + at * 10 + index));
  const tally = await count(() => Promise.all(customers.map((one, at) => one.send(phonesOf(at)))));
  const numbers = 10 * customers.length;
  const rows = (await countRows()) - before;
  report('a hundred customers', tally, rows, numbers);
  // Of all customers: a transaction for each customer and step would be half a transaction a number.
  expect(tally.writing).toBeLessThan(numbers / 10);
  expect(tally.total).toBeLessThan(numbers);
  const [row] = await service.sql`select count(*)::int as receipts from receipt where result = 'delivered'`;
  expect(row?.receipts).toBe(2 * NUMBERS + numbers);
});
