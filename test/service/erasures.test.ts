// A phone number is erased from everything that is stored, and what depends on it goes on.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAll } from '../../src/store/money/audit-money.js';
import { type Receiver, startReceiver } from '../support/network/receiver.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';

const PHONE = '13900139001';
const OTHER = '13900139004';

let service: Service;
let ann: ServiceCustomer;
let bob: ServiceCustomer;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' } });
  receiver = await startReceiver();
  ann = await service.addCustomer();
  bob = await service.addCustomer();
});
afterAll(async () => {
  await service.stop();
  await receiver.kill();
});

async function erase(phone: string) {
  const { erasure_no } = await service.operator.createErasure({ phone, remark: `asked by ${phone}` });
  await until(`${erasure_no} is done`, async () => (await service.operator.erasure(erasure_no)).status === 'done');
  return await service.operator.erasure(erasure_no);
}

/** Everything in the database, as text. */
async function dump(): Promise<Record<string, string>> {
  const { sql } = service;
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and relkind in ('r', 'p') and not relispartition`;
  const texts: Record<string, string> = {};
  for (const { name } of tables) {
    const rows = await sql.unsafe(`select t::text as row from ${name} t`);
    texts[name] = rows.map(({ row }) => row).join('\n');
  }
  return texts;
}

function tablesWith(texts: Record<string, string>, text: string): string[] {
  return Object.keys(texts).filter((table) => texts[table]?.includes(text));
}

test('a number is erased for all customers, and nothing else changes', async () => {
  const { operator, sql } = service;
  const { webhook_no } = await ann.client.createWebhook({ url: receiver.url, events: ['receipts'] });
  const spellings = [PHONE, `+86${PHONE}`, '139 0013 9001'];
  for (const phone of spellings) await ann.completed((await ann.send([phone])).task_no);
  await bob.completed((await bob.send([PHONE, OTHER])).task_no);
  // Receipts that are finished at about the same time come in one call.
  await until(() => receiver.accepted.flatMap(({ data }) => data.items).length === spellings.length);
  await operator.addOptOut(ann.customerNo, PHONE);
  await operator.addCapExemption(bob.customerNo, PHONE);
  await operator.testChannel(service.channelNo, { phone: `+86${PHONE}`, text: `Hello ${PHONE}` });
  await allOf(operator.numberCustomers(PHONE));
  const [own] = await sql<{ bucket: number; id: bigint; account: bigint; channel: bigint }[]>`
    select bucket, customer_id as id, (select min(service_account_id) from service_account) as account,
      (select min(channel_id) from channel) as channel from customer order by customer_id limit 1`;
  await sql`
    insert into uplink (bucket, customer_id, uplink_id, phone_key, service_account_id, channel_id, phone, content)
    values (${own?.bucket ?? 0}, ${own?.id ?? 0n}, ${BigInt(Date.now()) << 20n}, ${`86${PHONE}`}, ${own?.account ?? 0n},
      ${own?.channel ?? 0n}, ${`+86${PHONE}`}, ${`I am ${PHONE}`})`;
  // A second report, beside those that stand in the receipts.
  await sql`
    insert into delivery (bucket, customer_id, delivery_id, task_id, seq, part, parts, phone_key, phone, firm, status)
    values (${own?.bucket ?? 0}, ${own?.id ?? 0n}, ${BigInt(Date.now()) << 20n}, 1, 1, 1, 1, ${`86${PHONE}`}, ${PHONE}, 'cmcc', 'rejected')`;
  await sql`
    insert into unclaimed_uplink (channel_id, sender, recipient, content)
    values (${own?.channel ?? 0n}, ${`86${PHONE}`}, '10690001', ${`I am ${PHONE}`})`;
  const before = await dump();
  const balances = [await ann.client.account(), await bob.client.account()];
  const found = tablesWith(before, PHONE);
  expect(found).toEqual(expect.arrayContaining(['receipt', 'submit', 'delivery', 'uplink', 'opt_out', 'audit']));

  const { erasure_no, hash, counts, remark, done_at } = await erase(PHONE);
  expect(hash).toMatch(/^[0-9a-f]{32}$/);
  expect(done_at).not.toBeNull();
  expect(remark).toBe('asked by 139****9001');
  expect(counts).toMatchObject({ receipt: 4, submit: 4, delivery: 5, uplink: 1, opt_out: 1, cap_exemption: 1 });
  const after = await dump();
  for (const text of [PHONE, '0013 9001']) expect(tablesWith(after, text)).toEqual([]);
  expect(tablesWith(after, `erased-${hash}`)).toEqual(
    expect.arrayContaining(found.filter((name) => name !== 'cap_use')),
  );
  for (const table of ['ledger_entry', 'account', 'task']) {
    expect(after[table], table).toBe(before[table]);
  }
  expect(after.receipt).toContain(OTHER);
  expect([await ann.client.account(), await bob.client.account()]).toEqual(balances);
  expect(await auditAll(sql)).toEqual([]);

  const receipts = await allOf(ann.client.receipts());
  expect(receipts.map(({ phone }) => phone)).toEqual([0, 1, 2].map(() => `erased-${hash}`));
  expect(await allOf(ann.client.receipts({ phone: PHONE }))).toEqual([]);
  const pushed = receiver.accepted.length;
  await ann.client.replayWebhook(webhook_no, new Date('2020-01-01T00:00:00Z'));
  await until(() => receiver.accepted.length > pushed);
  expect(
    receiver.accepted
      .slice(pushed)
      .map(({ text }) => text)
      .join(),
  ).not.toContain(PHONE);
  const { items } = await operator.auditLog({ action: 'erasure.create' }).page();
  expect(items[0]).toMatchObject({ subject: erasure_no, change: { hash, remark: 'asked by 139****9001' } });
});

test('an opt-out keeps working by the hash, until it is taken back', async () => {
  const rejected = await ann.completed((await ann.send([PHONE])).task_no);
  const [receipt] = await allOf(ann.client.receipts({ taskNo: rejected.task_no }));
  expect(receipt).toMatchObject({ result: 'rejected', code: 'opted_out' });
  await service.operator.removeOptOut(ann.customerNo, PHONE);
  const sent = await ann.completed((await ann.send([PHONE])).task_no);
  expect((await allOf(ann.client.receipts({ taskNo: sent.task_no })))[0]).toMatchObject({ result: 'delivered' });
  // What came since is erased by the next request, under the same hash.
  const first = (await service.operator.erasures().page()).items.at(-1);
  const again = await erase(`+86 ${PHONE}`);
  expect(again.hash).toBe(first?.hash);
  expect(tablesWith(await dump(), PHONE)).toEqual([]);
});

test('a number is erased from the texts and titles of its messages', async () => {
  const cat = await service.addCustomer({ body: 'Hi {p1}' });
  const other = '13800138001';
  const shared = await cat.send([PHONE, other], {
    variable_values: { p1: `Ann, call +86 ${PHONE} or ${other}` },
    title: `For ${PHONE}`,
  });
  const own = await cat.send([], {
    recipients: [
      { phone: other, variable_values: { p1: 'Bob' } },
      { phone: PHONE, variable_values: { p1: Number(PHONE) } },
    ],
  });
  for (const { task_no } of [shared, own]) await cat.completed(task_no);
  const { hash, counts } = await erase(PHONE);
  expect(counts).toMatchObject({ receipt: 2, task: 2 });
  expect(await cat.client.task(shared.task_no)).toMatchObject({
    title: `For erased-${hash}`,
    variable_values: { p1: `Ann, call erased-${hash} or ${other}` },
  });
  const receipts = await allOf(cat.client.receipts({ taskNo: own.task_no, include: 'text' }));
  expect(receipts.map(({ text }) => text).sort()).toEqual(['Hi Bob', `Hi erased-${hash}`]);
  expect(tablesWith(await dump(), PHONE)).toEqual([]);
});

test('a number with something open waits, and says for what', async () => {
  const { task_no } = await bob.send([OTHER], { auto_submit: false });
  const { erasure_no } = await service.operator.createErasure({ phone: OTHER });
  const show = () => service.operator.erasure(erasure_no);
  await until(async () => (await show()).waits_for !== null);
  expect(await show()).toMatchObject({
    status: 'waiting',
    waits_for: expect.stringContaining('being sent'),
    counts: {},
  });
  await bob.client.moveTask(task_no, 'cancel');
  await until(async () => (await show()).status === 'done');
  expect(tablesWith(await dump(), OTHER)).toEqual([]);
});

test('what is no number, and who is no admin, is refused', async () => {
  await expect(service.operator.createErasure({ phone: 'nonsense' })).rejects.toMatchObject({ status: 400 });
  await expect(service.operator.erasure('X0000000000000')).rejects.toMatchObject({ status: 404 });
  const { token } = await service.operator.createOperator({ name: 'Sue', role: 'support' });
  const answer = await fetch(`${service.url}/operator/v1/erasures`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ phone: PHONE }),
  });
  expect(answer.status).toBe(403);
});
