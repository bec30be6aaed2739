// The bell of a customer: what has changed since the last visit, each with the page that shows it.

import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { type ConsoleService, expectQuiet, startConsoleService, waitUntilSignedIn } from '../console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`the bell of a customer${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  let operator: OperatorClient;
  beforeAll(async () => {
    console = await startConsoleService();
    operator = new OperatorClient(console.operator);
  });
  afterAll(() => console.stop());

  async function submitReviewed(name: string, decision: 'approved' | 'rejected'): Promise<void> {
    const { client, demo } = console;
    const request = { name, body: 'Sale until {p1}.', service_account_no: demo.service_account_no };
    const { template_no: templateNo } = await client.submitTemplate(request);
    await operator.reviewTemplate(demo.customer_no, templateNo, { decision, reason: 'Read.' });
  }

  /** As a user who was just invited. */
  async function openAsUser(email: string) {
    const wish = { email, name: 'Ann', role: 'admin' } as const;
    const { invitation_url: invitation } = await operator.createCustomerUser(console.demo.customer_no, wish);
    const watched = await console.open('/');
    await watched.page.goto(invitation ?? '');
    await watched.page.getByLabel('New password').fill('a long and quiet river');
    await watched.page.keyboard.press('Enter');
    await waitUntilSignedIn(watched.page);
    return watched;
  }

  test('is for people, not for keys', async () => {
    const watched = await console.open('/overview', { role: 'customer' });
    await watched.page.getByRole('heading', { level: 1 }).waitFor();
    expect(await watched.page.getByRole('button', { name: /^Notifications/ }).count()).toBe(0);
    await watched.close();
  });

  test('says nothing where nothing has happened', async () => {
    const watched = await openAsUser('ann@example.com');
    await watched.page.getByRole('button', { name: 'Notifications, none new' }).click();
    await watched.page.getByText('Nothing to report').waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('says what is new, once, and again when it has changed', async () => {
    const { client, demo, sql } = console;
    const { available } = await client.account();
    await operator.updateCustomer(demo.customer_no, { low_balance: `${Math.ceil(Number(available)) + 1000}` });
    await submitReviewed('Sale', 'rejected');
    await submitReviewed('Shipped', 'approved');
    // More than one page of newer ones, written by an operator, which is no news.
    for (const number of Array(100).keys())
      await operator.createTemplate(demo.customer_no, {
        service_account_no: demo.service_account_no,
        name: `Other ${number}`,
        body: 'Hello.',
      });
    const url = 'https://127.0.0.1:1/';
    const failing = await client.createWebhook({ url, events: ['receipts'], description: 'Shop' });
    const disabled = await client.createWebhook({ url, events: ['receipts'], description: 'Stock' });
    const paused = await client.createWebhook({ url, events: ['receipts'], description: 'Paused by a person' });
    await client.updateWebhook(paused.webhook_no, { status: 'disabled' });
    const fail = (description: string) => sql`
      update webhook set verified_at = now() where description = ${description} returning webhook_id`;
    const [row] = await fail('Shop');
    await sql`
      insert into webhook_cursor (customer_id, webhook_id, event, position, failures, failing_since, next_try_at)
      select customer_id, webhook_id, 'receipts', 0, 9, now() - interval '6 minutes', now() + interval '1 hour'
      from webhook where webhook_id = ${row?.webhook_id}
      on conflict (bucket, customer_id, webhook_id, event) do update set failures = excluded.failures,
        failing_since = excluded.failing_since, next_try_at = excluded.next_try_at`;
    await sql`
      update webhook set status = 'disabled', disabled_reason = 'failing for three days', disabled_at = now()
      where description = 'Stock'`;
    expect((await client.webhook(disabled.webhook_no)).disabled_reason).not.toBeNull();
    expect((await client.webhook(failing.webhook_no)).progress[0]?.failing_since).not.toBeNull();
    // The customer is older than this month.
    await sql`update ledger_entry set created_at = '2020-01-01' where seq = 1`;

    const watched = await openAsUser('ben@example.com');
    const { page } = watched;
    const bell = (name: string) => page.getByRole('button', { name });
    await bell('Notifications, 6 new').click();
    const panel = page.getByRole('dialog');
    const link = (name: string | RegExp) => panel.getByRole('link', { name });
    await link('The balance is below its alert mark').waitFor();
    await link('Webhook Shop fails').waitFor();
    await link('Webhook Stock was disabled because it failed').waitFor();
    await link('Template Shipped was approved').waitFor();
    await link(/^The statement of \d{4}-\d\d is final/).waitFor();
    expect(await findFaults(page)).toEqual([]);
    await link('Template Sale was rejected').click();
    await page.waitForURL(/\/console\/templates$/);
    await bell('Notifications, 5 new').click();
    await link(/^The statement of/).click();
    await page.waitForURL(/\/console\/statements\/\d{4}-\d\d$/);
    await bell('Notifications, 4 new').click();
    await link('Webhook Shop fails').click();
    await page.waitForURL(/\/console\/developers\?tab=webhooks/);
    await bell('Notifications, 3 new').click();
    await panel.getByRole('button', { name: 'Mark all as read' }).click();
    // Money that came in and was not enough: that is news. So is that none is left.
    await operator.topUp(demo.customer_no, { amount: '1', remark: 'Some.' });
    await page.reload();
    await bell('Notifications, 1 new').click();
    await link('The balance is below its alert mark').click();
    await page.waitForURL(/\/console\/ledger/);
    await operator.adjust(demo.customer_no, { amount: `-${(await client.account()).available}`, remark: 'Gone.' });
    await page.reload();
    await bell('Notifications, 1 new').click();
    await link('The balance is used up').waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});
