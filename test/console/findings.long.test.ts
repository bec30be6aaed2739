// What misled people who used the console for the first time: each with a look at what it shows now.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import { type ConsoleService, expectQuiet, startConsoleService, waitUntilSignedIn } from './console-service.js';

const missing = findBrowserMissing();
const DAY_MS = 86_400_000;

describe.skipIf(missing !== undefined)(`findings${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  let operator: OperatorClient;
  beforeAll(async () => {
    console = await startConsoleService();
    operator = new OperatorClient(console.operator);
  });
  afterAll(() => console.stop());

  const requestFor = (phones: readonly string[]) => ({
    template_no: console.demo.template_no,
    phones,
    variable_values: ['Ann'],
    auto_freeze: true,
    auto_submit: true,
  });

  test('cancelled numbers spoil no rate and cost nothing', { timeout: 180_000 }, async () => {
    const { client, demo } = console;
    await operator.updateChannel(demo.channel_no, { parts_per_second: 5 });
    const phones = Array.from({ length: 200 }, (_, index) => String(13_600_000_000 + index));
    const { task_no: taskNo } = await client.send(requestFor(phones));
    await client.waitForTask(taskNo, { until: ({ counts }) => counts.delivered > 0 });
    await client.cancelTask(taskNo);
    const { counts, amounts } = await client.waitForTask(taskNo);
    await operator.updateChannel(demo.channel_no, { parts_per_second: null });
    expect(counts.rejected).toBeGreaterThan(0);

    const watched = await console.open('/overview', { role: 'customer' });
    const { page } = watched;
    await page.getByText(`${counts.delivered} of ${counts.delivered} sent`).first().waitFor();
    await page.getByRole('link', { name: '100.0 %' }).first().waitFor();
    await page.getByText(`${counts.rejected} of them cancelled`).waitFor();
    await page.getByRole('link', { name: 'Receipts', exact: true }).click();
    await page.getByLabel('Result').selectOption({ label: 'Rejected' });
    await page.getByText('No results for these filters').waitFor();
    await page.getByLabel('Result').selectOption({ label: 'Cancelled' });
    const row = page.getByRole('row').filter({ hasText: 'cancelled' }).first();
    await row.getByText('0.000000').waitFor();
    await page.getByLabel('Result').selectOption({ label: 'Delivered' });
    await page.getByRole('row').filter({ hasText: 'DELIVRD' }).first().getByText('0.050000').waitFor();
    expect(Number(amounts.charged)).toBeCloseTo(counts.delivered * 0.05);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('the overview warns of what is about to stop, and a failed push is seen, sent again and disabled', {
    timeout: 180_000,
  }, async () => {
    const { client, demo } = console;
    let isBroken = false;
    const received: string[] = [];
    const server = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']));
      request.resume();
      response.writeHead(isBroken ? 500 : 200).end(isBroken ? 'out of paper' : '');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const webhook = await client.createWebhook({ url: `http://127.0.0.1:${port}/`, events: ['receipts'] });
    await client.testWebhook(webhook.webhook_no);
    isBroken = true;
    const { task_no: taskNo } = await client.send(requestFor(['13800139001']));
    await client.waitForTask(taskNo);
    await operator.createCredential(demo.customer_no, { expires_at: new Date(Date.now() + 3 * DAY_MS).toISOString() });
    const { available } = await client.account();
    const rest = (0.01 - Number(available)).toFixed(6);
    await operator.adjust(demo.customer_no, { amount: rest, remark: 'Test', reference: 'test' });
    const ann = { email: 'ann@example.com', name: 'Ann', role: 'admin' } as const;
    const { invitation_url: link } = await operator.createCustomerUser(demo.customer_no, ann);

    const watched = await console.open('/');
    const { page } = watched;
    await page.goto(link);
    await page.getByLabel('New password').fill('seven green boats sleep');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await waitUntilSignedIn(page);
    await page.getByText('The balance covers less than the spend of the last 24 hours').waitFor();
    await page.getByText('1 API key expires within 14 days').waitFor();
    await expect
      .poll(async () => (await client.webhook(webhook.webhook_no)).progress[0]?.failing_since, { timeout: 60_000 })
      .toBeTypeOf('string');
    await page.reload();
    await page.getByRole('link', { name: '1 webhook is failing' }).click();

    const attempt = page.getByRole('row').filter({ hasText: 'receipts' }).filter({ hasText: '500' }).first();
    await attempt.getByText('Show').click();
    await attempt.getByText('out of paper').waitFor();
    await attempt.getByText('13800139001').first().waitFor();
    isBroken = false;
    const before = received.length;
    await attempt.getByRole('button', { name: 'Resend' }).click();
    await expect.poll(() => received.length).toBeGreaterThan(before);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByText('No events are sent until you enable it.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    expect((await client.webhook(webhook.webhook_no)).status).toBe('disabled');
    expectQuiet(watched, console.service.url);
    await watched.close();
    server.close();
  });

  test('a grant is revoked after a question', { timeout: 120_000 }, async () => {
    const { customer_no: no } = await operator.createCustomer({ name: 'Ungranted', unit_price: '0.05' });
    await operator.grantChannel(no, console.demo.channel_no);
    const watched = await console.open(`/operator/customers/${no}?tab=sending`, { role: 'operator' });
    const { page } = watched;
    await page.getByRole('row').filter({ hasText: 'Demo' }).getByRole('button', { name: 'Revoke' }).click();
    const question = page.getByRole('dialog', { name: `Revoke channel ${console.demo.channel_no}?` });
    await question
      .getByText('Messages queued there go to other granted channels. Without one they are rejected.')
      .waitFor();
    expect((await operator.grants(no).page()).items).toHaveLength(1);
    await question.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('None yet. This customer cannot send.').waitFor();
    expect((await operator.grants(no).page()).items).toEqual([]);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});
