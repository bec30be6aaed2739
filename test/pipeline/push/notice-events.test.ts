// Events of what a customer has to know besides its messages: a month that is over, and an endpoint that the service disabled.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { firstIdAt } from '../../../src/domain/id.js';
import { passMonthEnds } from '../../../src/store/webhook/month-ends.js';
import { answerOk, answerWith, type Receiver, startReceiver } from '../../support/network/receiver.js';
import { type Service, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;
const receivers: Receiver[] = [];
beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' } });
});
afterAll(async () => {
  await service.stop();
  for (const receiver of receivers) await receiver.kill();
});

async function receive(): Promise<Receiver> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  return receiver;
}

it('tells each month that is over since the first entry, once, also where nothing is sent', async () => {
  const receiver = await receive();
  const customer = await service.addCustomer({ balance: '1', billing_time_zone: 'Asia/Shanghai' });
  await customer.client.createWebhook({ url: receiver.url, events: ['statement.ready'] });
  const { sql } = service;
  const own = sql`customer_id = (select customer_id from customer where customer_no = ${customer.customerNo})`;
  // A customer since the middle of May whose log ends there.
  const since = new Date('2026-05-15T00:00:00Z');
  await sql`update ledger_entry set created_at = ${since} where ${own} and seq = 1`;
  await sql`update account set record_id = ${firstIdAt(since)} where ${own}`;
  await sql`update webhook_cursor set position = 0 where ${own}`;
  // Not over yet by the clock of the customer.
  await passMonthEnds(sql, 0, Date.parse('2026-05-31T15:59:59Z'));
  const [account] = await sql<{ record_id: bigint }[]>`select record_id from account where ${own}`;
  expect(account?.record_id).toBe(firstIdAt(since));
  await passMonthEnds(sql, 0, Date.parse('2026-05-31T16:00:00Z'));
  const dataOf = () => receiver.accepted.map(({ type, data }) => [type, data.month, data.at]);
  await until(() => receiver.accepted.length >= 2);
  expect(dataOf().slice(0, 2)).toEqual([
    ['statement.ready', '2026-05', '2026-05-31T16:00:00.000Z'],
    ['statement.ready', '2026-06', '2026-06-30T16:00:00.000Z'],
  ]);
  expect(receiver.accepted[0]?.data).toMatchObject({
    customer_no: customer.customerNo,
    currency: 'CNY',
    billing_time_zone: 'Asia/Shanghai',
  });
  // What comes later tells no month again.
  await customer.completed((await customer.send(['13800138000'])).task_no);
  await passMonthEnds(sql, 0, Date.now());
  const isAtRest = async () =>
    (await sql`select 1 as one from webhook_cursor where ${own} and due_at is not null`).length === 0;
  await until(isAtRest);
  const months = receiver.accepted.map(({ data }) => data.month);
  expect(months).toEqual([...new Set(months)]);
  expect(months.length).toBe(receiver.calls.length);
});

it('tells an endpoint that another one was disabled, and not of one that is active again', async () => {
  const [good, gone] = [await receive(), await receive()];
  const customer = await service.addCustomer();
  await customer.client.createWebhook({ url: good.url, events: ['webhook.disabled'] });
  const ended = await customer.client.createWebhook({
    url: gone.url,
    events: ['receipts', 'webhook.disabled'],
    description: 'Shop',
  });
  gone.behave(answerWith(410));
  await customer.completed((await customer.send(['13800138000'])).task_no);
  await until(() => good.accepted.length === 1);
  const { disabled_at, disabled_reason } = await customer.client.webhook(ended.webhook_no);
  expect(good.accepted[0]).toMatchObject({
    type: 'webhook.disabled',
    data: { webhook_no: ended.webhook_no, url: gone.url, description: 'Shop', disabled_reason, disabled_at },
  });
  expect(disabled_reason).toContain('410');
  // Active again, it has nothing to hear of itself.
  gone.behave(answerOk);
  await customer.client.updateWebhook(ended.webhook_no, { status: 'active' });
  await until(() => gone.accepted.length >= 1);
  await customer.completed((await customer.send(['13800138000'])).task_no);
  await until(() => gone.accepted.length >= 2);
  const { sql } = service;
  await until(async () => {
    const due = await sql`
      select 1 as one from webhook_cursor join customer using (customer_id)
      where customer_no = ${customer.customerNo} and due_at is not null`;
    return due.length === 0;
  });
  expect(gone.accepted.map(({ type }) => type)).toEqual(['receipts', 'receipts']);
  expect(good.accepted).toHaveLength(1);
});
