// What an operator's list reads must not grow with what is kept: every filter, on the first page and deep down, is explained
// on a small table and on one five times as large.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { asCustomerId, firstIdAt } from '../../../src/domain/id.js';
import { VALUE_TYPES } from '../../../src/store/connect.js';
import { postgres } from '../../../src/store/driver/index.js';
import { type ListSource, MAX_COUNTED_ROWS } from '../../../src/store/list.js';
import { migrate } from '../../../src/store/migrate/migrate.js';
import { listNumberCustomers } from '../../../src/store/number/number-customers.js';
import { listAudit } from '../../../src/store/operator/audit.js';
import { type FailureFilters, listFailures } from '../../../src/store/operator/failure.js';
import { listKeptReports } from '../../../src/store/operator/kept-report.js';
import { readChannelQueue, readLeases, readToPrepare } from '../../../src/store/operator/platform.js';
import { listUnknown } from '../../../src/store/operator/unknown.js';
import type { Sql } from '../../../src/store/sql.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const SMALL = 20_000;
const LARGE = 100_000;
const START = '2026-01-01T00:00:00Z';
const CUSTOMERS = 20;
/** Of one customer every second message went to it: a customer that never had it must not be read to the end. */
const COMMON_PHONE = '8613900000000';

let database: TestDatabase;
let sql: Sql;
const seen: { query: string; parameters: unknown[] }[] = [];

beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true });
  await migrate(database.sql);
  sql = postgres({
    ...database.address,
    max: 1,
    types: VALUE_TYPES,
    debug: (_connection, query, parameters) => void seen.push({ query, parameters }),
  });
  await sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    values ('H1', 'One', 'simulator', '{}', 'active', '{}', 1), ('H2', 'Two', 'simulator', '{}', 'active', '{}', 1)`;
  await sql`
    insert into customer (customer_id, customer_no, name, status, currency, billing_mode, credit_limit, charge_on,
      refund_on_failure, unit_price, policy_prepare, policy_freeze, policy_submit, requests_per_second, version)
    overriding system value
    select i, 'C' || i, 'C' || i, 'active', 'CNY', 'prepaid', 0, 'submit', false, 0, 'always', 'always', 'always', 1, 1
    from generate_series(1, ${CUSTOMERS}) as i`;
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

/** A row a second. One in a hundred has a rare actor, subject or channel. */
async function fill(from: number, until: number): Promise<void> {
  const at = `timestamptz '${START}' + i * interval '1 second'`;
  const rows = `from generate_series(${from}, ${until - 1}) as i`;
  const rare = (often: string, seldom: string) => `(case when i % 100 = 7 then ${seldom} else ${often} end)`;
  await sql.unsafe(`
    insert into audit (at, actor, action, subject, change)
    select ${at}, ${rare("'root'", "'Ann'")}, ${rare("'firm.change'", "'firm.create'")}, 'C' || i % 1000, '{}' ${rows};
    insert into unknown_part (customer_id, task_id, seq, part, chunk_no, channel_id, phone_key, since, deadline)
    select ${rare('7', '8')}, i / 100, i % 100 + 1, 1, 0, ${rare('1', '2')}, i, ${at}, ${at} ${rows};
    insert into unmatched_report (channel_id, message_key, message_id, status, code, received_at)
    select ${rare('1', '2')}, i::text, i::text, 'delivered', 'DELIVRD', ${at} ${rows};
    insert into task (customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
      auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at)
    select 7, i, i::text, '', 1, 1, false, true, true, true, 'completed', 1, '[]', ${at} ${rows};
    insert into chunk (customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers, part_states, results)
    select 7, i, 0, 1, 1, 'cmcc', 0, '', '\\x02', '\\x00' ${rows}`);
  const id = `((${Date.parse(START)}::bigint + i * 1000) << 20)`;
  const key = `(case when i % ${CUSTOMERS} = 6 and i % 40 = 6 then ${COMMON_PHONE} else 8610000000000 + i end)`;
  const customer = `i % ${CUSTOMERS} + 1`;
  // One in ten comes to nothing, nearly all of them on one channel with one code.
  const failed = (status: string, good: string) => `(case when i % 10 = 7 then '${status}' else '${good}' end)`;
  const code = `(case when i % 1000 = 7 then 'E2' when i % 10 = 7 then 'E1' end)`;
  await sql.unsafe(`
    insert into submit (customer_id, submit_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status, code)
    select ${customer}, ${id}, ${id}, 1, 1, 1, ${rare('1', '2')}, ${key}, 'x', 'f', ${failed('rejected', 'accepted')}, ${code}
    ${rows};
    insert into delivery (customer_id, delivery_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status, code)
    select ${customer}, ${id}, ${id}, 1, 1, 1, ${rare('1', '2')}, ${key}, 'x', 'f', ${failed('undelivered', 'delivered')},
      coalesce(${code}, 'DELIVRD') ${rows};
    insert into receipt (customer_id, receipt_id, task_id, seq, parts, phone_key, price, phone, result)
    select ${customer}, ${id}, ${id}, 1, 1, ${key}, 0, 'x', 'delivered' ${rows};
    insert into uplink (customer_id, uplink_id, phone_key, service_account_id, channel_id, phone, content)
    select ${customer}, ${id}, ${key}, 1, 1, 'x', 'x' ${rows}`);
  await sql.unsafe('vacuum analyze');
}

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

/** The pages that the statements of `run` touch. */
async function measure(run: () => Promise<unknown>): Promise<number> {
  seen.length = 0;
  await run();
  let touched = 0;
  for (const { query, parameters } of [...seen]) {
    if (!/^\s*(select|with)/i.test(query) || query.includes('pg_type')) continue;
    const values = parameters.map((value) =>
      value instanceof Date ? `'${value.toISOString()}'` : `'${String(value).replaceAll("'", "''")}'`,
    );
    const call = values.length === 0 ? 'explained' : `explained (${values})`;
    await sql.unsafe(`prepare explained as ${query}`);
    const [row] = await sql.unsafe<{ 'QUERY PLAN': { Plan: Plan }[] }[]>(
      `explain (analyze, buffers, format json) execute ${call}`,
    );
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    touched += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
    await sql.unsafe('deallocate explained');
  }
  return touched;
}

const hourLongAgo = { startAt: new Date('2026-01-01T05:00:00Z'), endAt: new Date('2026-01-01T05:30:00Z') };

const failuresOf = (filters: Partial<FailureFilters>) =>
  listFailures(sql, [0], {
    channelId: 1n,
    event: 'refused',
    code: 'E1',
    startMs: undefined,
    endMs: undefined,
    ...filters,
  }) as ListSource<never>;
const halfAnHour = { startMs: hourLongAgo.startAt.getTime(), endMs: hourLongAgo.endAt.getTime() };

const lists: Readonly<Record<string, () => ListSource<never>>> = {
  audit: () => listAudit(sql, {}) as ListSource<never>,
  'audit by actor': () => listAudit(sql, { actor: 'root' }) as ListSource<never>,
  'audit by a rare actor': () => listAudit(sql, { actor: 'Ann' }) as ListSource<never>,
  'audit by an actor who did nothing': () => listAudit(sql, { actor: 'Bob' }) as ListSource<never>,
  'audit by a rare action': () => listAudit(sql, { action: 'firm.create' }) as ListSource<never>,
  'audit by subject': () => listAudit(sql, { subject: 'C500' }) as ListSource<never>,
  'audit of an hour long ago': () => listAudit(sql, hourLongAgo) as ListSource<never>,
  unknown: () => listUnknown(sql, [0], {}) as ListSource<never>,
  'unknown by customer': () => listUnknown(sql, [0], { customerId: asCustomerId(7n) }) as ListSource<never>,
  'customers of a number': () => listNumberCustomers(sql, [0], COMMON_PHONE) as ListSource<never>,
  'customers of a number that none had': () => listNumberCustomers(sql, [0], '8613900000001') as ListSource<never>,
  'failures of a channel': () => failuresOf({}),
  'failures with a rare code': () => failuresOf({ channelId: 2n, code: 'E2' }),
  'failures that no channel had': () => failuresOf({ event: 'unknown' }),
  'failures of half an hour long ago': () => failuresOf(halfAnHour),
  'failed reports of a channel': () => failuresOf({ event: 'undelivered' }),
  'failed reports with a rare code': () => failuresOf({ event: 'undelivered', channelId: 2n, code: 'E2' }),
  'failed reports that no channel had': () => failuresOf({ event: 'expired' }),
  'kept reports': () => listKeptReports(sql, {}) as ListSource<never>,
  'kept reports by channel': () => listKeptReports(sql, { channelId: 2n }) as ListSource<never>,
};

const DEEP_US = `${Date.parse('2026-01-01T03:00:00Z')}000`;

const deepKey = (name: string) =>
  name.startsWith('customers')
    ? '10000.1'
    : name.startsWith('unknown')
      ? `${DEEP_US}.7.1.1.1`
      : name.startsWith('audit')
        ? `${DEEP_US}.10000`
        : name.startsWith('fail')
          ? `${firstIdAt(new Date('2026-01-01T03:00:00Z'))}.7`
          : '10000';

async function measureLists(isMeant: (name: string) => boolean = () => true): Promise<Map<string, number>> {
  const results = new Map<string, number>();
  for (const [name, list] of Object.entries(lists).filter(([name]) => isMeant(name))) {
    for (const after of [undefined, deepKey(name)]) {
      const where = after === undefined ? 'the first page' : 'deep down';
      results.set(`${name}, ${where}`, await measure(() => list().rows({ after, offset: 0, limit: 21 })));
    }
  }
  return results;
}

async function measureAll(): Promise<Map<string, number>> {
  const results = await measureLists();
  // What is done, and what waits for its receipts, is not looked at.
  results.set('what waits to be prepared', await measure(() => readToPrepare(sql, 0)));
  results.set('what waits for a channel', await measure(() => readChannelQueue(sql, 0, 1n)));
  results.set('leases', await measure(() => readLeases(sql)));
  return results;
}

it('an operator’s list touches as many pages of a large table as of a small one', async () => {
  await fill(0, SMALL);
  const small = await measureAll();
  await fill(SMALL, LARGE);
  const large = await measureAll();
  const grown = [...large].filter(([name, pages]) => pages > (small.get(name) ?? 0) * 1.5 + 40);
  expect(grown.map(([name, pages]) => `${name}: ${small.get(name)} → ${pages}`)).toEqual([]);
});

it('an operator’s list counts no further than it promises', async () => {
  for (const [name, list] of Object.entries(lists)) {
    const pages = await measure(() => list().count(MAX_COUNTED_ROWS + 1));
    expect(pages, name).toBeLessThan(MAX_COUNTED_ROWS * 1.5);
  }
});

it('what failed is found by its own index also with a plan that was made without looking at the values', async () => {
  await sql`set plan_cache_mode = force_generic_plan`;
  const results = await measureLists((name) => name.startsWith('fail'));
  await sql`reset plan_cache_mode`;
  const costly = [...results].filter(([, pages]) => pages > 300);
  expect(results.size).toBe(14);
  expect(costly.map(([name, pages]) => `${name}: ${pages}`)).toEqual([]);
});

it('finds every customer of a number that has more records than are read to know them', async () => {
  await sql`
    insert into uplink (customer_id, uplink_id, phone_key, service_account_id, channel_id, phone, content)
    values (${CUSTOMERS}, 1, ${COMMON_PHONE}, 1, 1, 'x', 'x')`;
  const rows = await listNumberCustomers(sql, [0], COMMON_PHONE).rows({ after: undefined, offset: 0, limit: 10 });
  expect(rows.map(({ customerId }) => customerId)).toEqual([7n, BigInt(CUSTOMERS)]);
});
