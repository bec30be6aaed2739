// A webhook that gets no events says why, since when and what to do; its log has events and tests apart.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { type ConsoleService, expectQuiet, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`webhooks${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  let server: Server;
  let status = 500;
  beforeAll(async () => {
    console = await startConsoleService();
    server = createServer((request, response) => {
      request.resume();
      response.writeHead(status).end(status === 200 ? '' : 'out of paper');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    await console.stop();
    server.close();
  });

  test('an unverified and a failing one say why, since when and what to do', { timeout: 240_000 }, async () => {
    const { client, demo, sql } = console;
    const { port } = server.address() as AddressInfo;
    const { webhook_no: no } = await client.createWebhook({ url: `http://127.0.0.1:${port}/`, events: ['receipts'] });
    // As one at a public address begins.
    await sql`update webhook set verified_at = null`;
    const send = () =>
      client.send({
        template_no: demo.template_no,
        phones: ['13800139001'],
        variable_values: ['Ann'],
        auto_freeze: true,
        auto_submit: true,
      });
    await send();
    const hasFailed = async () => (await client.webhook(no)).progress[0]?.failing_since !== null;
    await expect.poll(hasFailed, { timeout: 60_000 }).toBe(true);

    const watched = await console.open('/developers?tab=webhooks', { role: 'customer' });
    const { page } = watched;
    const trouble = page.getByRole('status').filter({ hasText: 'Unverified: events wait' });
    await trouble.getByText('must answer a signed test event with 2xx once').waitFor();
    await trouble.getByText('Last failure: HTTP 500, the response is not a 2xx').waitFor();
    await trouble.getByText("Look into the receiver's log at this time.").waitFor();
    await trouble.getByText('Failing since').waitFor();
    await page.getByRole('cell', { name: 'Test before Receipts' }).first().waitFor();
    await page.getByRole('radiogroup', { name: 'Attempts' }).getByText('Events').click();
    await page.getByText('No event was sent yet.').waitFor();

    // The operator sees the same, in the same words.
    const looking = await console.open(`/operator/customers/${demo.customer_no}?tab=webhooks`, { role: 'operator' });
    await looking.page.getByText('Unverified', { exact: true }).waitFor();
    const seen = looking.page.getByRole('status').filter({ hasText: 'Unverified: events wait' });
    await seen.getByText('Last failure: HTTP 500, the response is not a 2xx').waitFor();
    await looking.page.getByText('Receipts: failing since').waitFor();
    await looking.page.getByRole('cell', { name: 'Test before Receipts' }).first().waitFor();
    expectQuiet(looking, console.service.url);
    await looking.close();

    status = 200;
    await page.getByRole('button', { name: 'Send test event' }).click();
    await trouble.waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'Receipts receipts' }).first().waitFor({ timeout: 60_000 });
    expect(await page.getByRole('cell', { name: /^Test/ }).count()).toBe(0);

    status = 403;
    await send();
    const failing = page.getByRole('status').filter({ hasText: 'Failing: events wait' });
    await failing.getByText('Last failure: HTTP 403').waitFor({ timeout: 60_000 });
    await failing.getByText('they are signed with the webhook secret').waitFor();
    await failing.getByText('Failing since').waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();

    const chinese = await console.open('/developers?tab=webhooks', { role: 'customer', locale: 'zh-CN' });
    await chinese.page.getByRole('status').filter({ hasText: '推送失败：事件等待中' }).waitFor();
    await chinese.page.getByText('请求已用 Webhook 密钥签名').waitFor();
    await chinese.close();
  });
});
