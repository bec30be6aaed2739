// What an operator does in the console, in a real browser against a real service.

import { OperatorClient, PostriderClient } from '@postrider/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import { findFaults } from '../support/find-faults.js';
import { type ConsoleService, expectQuiet, openKeyForm, startConsoleService } from './console-service.js';

const missing = findBrowserMissing();

/** Opens the form behind a button, fills it in by its labels, and sends it. */
async function fillForm(
  page: Page,
  button: string,
  values: Readonly<Record<string, string>>,
  submit = button,
): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  const form = page.getByRole('dialog');
  for (const [label, value] of Object.entries(values)) {
    const field = form.getByLabel(label, { exact: false }).first();
    // What can be chosen may still be on its way.
    if (await field.evaluate(({ tagName }) => tagName === 'SELECT')) await field.selectOption({ label: value });
    else await field.fill(value);
  }
  await form.getByRole('button', { name: submit, exact: true }).click();
  await form.waitFor({ state: 'detached' });
}

describe.skipIf(missing !== undefined)(
  `an operator in the console${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let console: ConsoleService;
    beforeAll(async () => {
      console = await startConsoleService();
    });
    afterAll(() => console.stop());

    test('a wrong token is refused', async () => {
      const watched = await console.open('/operator/platform');
      const { page } = watched;
      await openKeyForm(page);
      await page.getByLabel('Operator token').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('The token is not valid.').waitFor();
      await watched.close();
    });

    test('a customer is made with all that it needs in one form, and its steps stay until a message is delivered', {
      timeout: 120_000,
    }, async () => {
      const watched = await console.open('/operator/customers', { role: 'operator' });
      const { page } = watched;
      await page.evaluate('let clicks = 0; addEventListener("click", () => { window.clicks = ++clicks; }, true)');
      await page.getByRole('link', { name: 'New customer' }).click();
      const fill = async (section: string, values: Readonly<Record<string, string>>) => {
        for (const [label, value] of Object.entries(values))
          await page.getByRole('group', { name: section, exact: true }).getByLabel(label).first().fill(value);
      };
      await fill('Customer', { Name: 'Acme', 'Unit price': '0.04' });
      await fill('Sender', { Name: 'Main', 'Sender address': '10691234' });
      await fill('Template', { Name: 'Order', Text: 'Your order {p1} is on its way.' });
      await fill('First user', { Email: 'ann at acme', Name: 'Ann' });
      await fill('First top-up', { Amount: '10' });
      await page.getByLabel('Create an API key').check();
      const create = page.getByRole('button', { name: 'Create customer' });
      await create.click();
      // All or nothing: what is wrong stands at its field, and nothing was made.
      await page.getByLabel('Email').and(page.locator('[aria-invalid]')).waitFor();
      const operator = new OperatorClient(console.operator);
      expect((await operator.customers().page()).items.map(({ name }) => name)).not.toContain('Acme');
      await fill('First user', { Email: 'ann@acme.example' });
      await create.click();
      await page.getByRole('heading', { name: 'Acme is created' }).waitFor();
      // To the page, the key, the wrong attempt and the right one.
      expect(await page.evaluate('window.clicks')).toBe(4);
      const readSecret = async (beginning: RegExp) =>
        (await page.locator('[role=status] .mono', { hasText: beginning }).first().textContent()) ?? '';
      const apiKey = await readSecret(/^pk_/);
      const apiSecret = await readSecret(/^sk_/);
      await page.getByText(/\/invitations\//).waitFor();
      expect(await findFaults(page)).toEqual([]);
      await page.getByRole('link', { name: 'Open the page of Acme' }).click();
      const steps = page.locator('section', { hasText: 'Until the first delivered message' });
      await steps.getByRole('img', { name: 'Done' }).nth(4).waitFor();
      const customer = (await operator.customers({ name: 'Acme' }).page()).items[0];
      const [template] = (await operator.templates(customer?.customer_no ?? '').page()).items;
      const client = new PostriderClient({ baseUrl: console.service.url, apiKey, apiSecret });
      const request = { template_no: template?.template_no ?? '', variable_values: ['7'], auto_freeze: true };
      const refused = await client.send({ ...request, phones: ['13800139003'], auto_submit: true });
      await client.waitForTask(refused.task_no);
      await page.waitForResponse((response) => response.url().includes('/operator/v1/tasks?'));
      await steps.getByRole('img', { name: 'To do' }).waitFor();
      const task = await client.send({ ...request, phones: ['13800139001'], auto_submit: true });
      const ended = await client.waitForTask(task.task_no);
      expect(ended).toMatchObject({ stage: 'completed', amounts: { charged: '0.040000' } });
      await steps.waitFor({ state: 'detached' });
      await page.getByRole('tab', { name: 'Tasks' }).click();
      await page.getByText('Completed').first().waitFor();
      expect(await page.locator('body').textContent()).not.toContain(apiSecret);
      expect(watched.complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
      await watched.close();
    });

    test('a carrier that no active channel reaches says so where it is made, and a prefix needs its country code', async () => {
      const watched = await console.open('/operator/firms', { role: 'operator' });
      const { page } = watched;
      await fillForm(page, 'Add carrier', { 'Carrier code': 'unreached', Prefixes: '86199' });
      await page.getByRole('row').filter({ hasText: 'unreached' }).getByText('no active channel').waitFor();
      expect(await page.getByRole('row').filter({ hasText: 'demo' }).getByText('no active channel').count()).toBe(0);
      await page.getByRole('button', { name: 'Add carrier' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Carrier code').fill('home');
      await dialog.getByLabel('Prefixes').fill('138');
      await dialog.getByRole('button', { name: 'Add carrier' }).click();
      await dialog.getByText(/write 86138/).waitFor();
      await watched.close();
    });

    test('the platform shows its channels, what they complain of, and its processes', async () => {
      const { client, demo } = console;
      const request = { template_no: demo.template_no, variable_values: ['Ann'], auto_freeze: true, auto_submit: true };
      const task = await client.send({ ...request, phones: ['13800139002', '13800139003'] });
      await client.waitForTask(task.task_no);
      const watched = await console.open('/operator/platform', { role: 'operator' });
      const { page } = watched;
      const rowOf = (card: string, text: string) =>
        page.locator('section', { hasText: card }).getByRole('row').filter({ hasText: text }).first();
      await rowOf('All channels', 'Demo').getByText('up').waitFor();
      await rowOf('Error codes', 'REFUSED').getByText('The carrier rejected the message').waitFor();
      await rowOf('Error codes', 'UNDELIV').waitFor();
      await rowOf('Rejected numbers by reason', 'REFUSED')
        .getByRole('button', { name: /^Demo \(\d+\)$/ })
        .waitFor();
      await rowOf('Processes and leases', 'api, worker, channels')
        .getByText(/Demo \(\d+\)/)
        .waitFor();
      await page.getByText('Balanced', { exact: true }).waitFor();
      await page.getByText('Warning 2 %, critical 10 %').waitFor();
      await page.getByRole('radiogroup', { name: 'Time' }).getByText('15 min').click();
      await page.getByRole('heading', { name: 'Segments by response, 1 minute per column' }).waitFor();
      expect(new URL(page.url()).search).toBe('?range=15m');
      await rowOf('Rejected numbers by reason', 'REFUSED').getByRole('button', { name: /^Demo/ }).click();
      await page.getByRole('heading', { name: 'Receipts' }).waitFor();
      await page.getByRole('row').filter({ hasText: '13800139003' }).first().waitFor();
      expect(await page.getByRole('row').filter({ hasText: '13800139002' }).count()).toBe(0);
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('a channel is made by the form of its kind, with faults at their field', async () => {
      const watched = await console.open('/operator/channels', { role: 'operator' });
      const { page } = watched;
      await page.getByRole('button', { name: 'Add channel' }).click();
      await page.getByRole('menuitem', { name: 'SMPP' }).click();
      const form = page.getByRole('dialog');
      const fill = async (values: Readonly<Record<string, string>>) => {
        for (const [label, value] of Object.entries(values))
          await form.getByLabel(label, { exact: false }).first().fill(value);
      };
      await fill({ Name: 'Acme SMPP', host: '127.0.0.1', port: '1', system_id: 'us', password: 'secret' });
      await form.locator('.mantine-MultiSelect-input').click();
      await page.locator('.mantine-MultiSelect-option').first().click();
      await form.getByText('All settings').click();
      await fill({ window: '500', throttle_codes: '88, 20' });
      await form.getByRole('button', { name: 'Add smpp' }).click();
      await form.locator('div:has(> input[aria-invalid])', { hasText: 'window' }).getByText(/100/).first().waitFor();
      await fill({ window: '50' });
      await form.getByRole('button', { name: 'Add smpp' }).click();
      await page.getByRole('link', { name: 'Acme SMPP' }).click();
      await page.locator('section', { hasText: 'Session log' }).getByText('127.0.0.1:1 as us').first().waitFor();
      const operator = new OperatorClient(console.operator);
      const channel = (await operator.channels().page()).items.find(({ name }) => name === 'Acme SMPP');
      expect(channel?.config).toMatchObject({ port: 1, window: 50, throttle_codes: [88, 20], tls: false });
      // The password is stored and need not be typed anew.
      await fillForm(page, 'Change', { 'Segments per second': '20' }, 'Save');
      await page.locator('section', { hasText: 'Settings' }).last().getByText('20', { exact: true }).waitFor();
      expect(await operator.channel(channel?.channel_no ?? '')).toMatchObject({ parts_per_second: 20 });
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await form.getByLabel('Status').selectOption({ label: 'Disabled' });
      await form.getByRole('button', { name: 'Save' }).click();
      const question = page.getByRole('dialog', { name: 'Disable' });
      await question.getByText('Nothing more is sent through this channel.').waitFor();
      expect(await operator.channel(channel?.channel_no ?? '')).toMatchObject({ status: 'active' });
      await question.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('dialog').first().waitFor({ state: 'detached' });
      expect(await operator.channel(channel?.channel_no ?? '')).toMatchObject({ status: 'disabled' });
      await watched.close();
    });

    test('a test message goes through one channel, and the page shows its outcome', async () => {
      const watched = await console.open(`/operator/channels/${console.demo.channel_no}`, { role: 'operator' });
      const { page } = watched;
      await fillForm(page, 'Send test message', { Phone: '13800139002' });
      const row = page.getByRole('row').filter({ hasText: '8613800139002' });
      await row.getByText('accepted').waitFor();
      await row.getByText('Undelivered').waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('a task without money is topped up with what is missing, from its own page', async () => {
      const operator = new OperatorClient(console.operator);
      const { customer, template, credential } = await operator.createOnboarding({
        customer: { name: 'Short', unit_price: '0.07' },
        channels: [{ channel_no: console.demo.channel_no }],
        service_account: { name: 'Short', sender: '10691235' },
        template: { name: 'Short', body: 'Hello' },
        topup: { amount: '0.05' },
        credential: {},
      });
      const apiKey = credential?.api_key ?? '';
      const apiSecret = credential?.api_secret ?? '';
      const client = new PostriderClient({ baseUrl: console.service.url, apiKey, apiSecret });
      const request = { template_no: template?.template_no ?? '', auto_freeze: true, auto_submit: true };
      const task = await client.send({ ...request, phones: ['13800139001'] });
      await expect.poll(async () => (await client.task(task.task_no)).waits_for).toBe('funds');
      const watched = await console.open(`/operator/tasks/${task.task_no}`, { role: 'operator' });
      const { page } = watched;
      await page.getByRole('button', { name: /^Top up .*0\.02/ }).click();
      expect(await page.getByRole('button', { name: 'Reserve funds' }).count()).toBe(0);
      await page.getByText(/0\.02.* short: the task costs .*0\.07/).waitFor();
      const form = page.getByRole('dialog', { name: 'Top up Short' });
      await expect.poll(() => form.getByLabel('Amount').inputValue()).toBe('0.02');
      await form.getByRole('button', { name: 'Top up' }).click();
      await client.waitForTask(task.task_no);
      await page.getByText('Completed').first().waitFor();
      expect((await operator.customer(customer.customer_no)).account).toMatchObject({ available: '0.000000' });
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('a code is hidden from operators and from those who look on, and showing it is written down', async () => {
      const { client, demo } = console;
      const code = '493817';
      const operator = new OperatorClient(console.operator);
      const template = (await operator.templates(demo.customer_no).page()).items.find((one) => one.class === 'otp');
      const request = { template_no: template?.template_no ?? '', auto_freeze: true, auto_submit: true };
      const task = await client.send({ ...request, phones: ['13800139001'], variable_values: [code] });
      await client.waitForTask(task.task_no);
      const textOf = async (reader: PostriderClient) =>
        (await reader.receipts({ taskNo: task.task_no, include: 'text' }).page()).items[0]?.text;
      expect(await textOf(client)).toContain(code);
      expect((await client.task(task.task_no)).variable_values).toEqual({ p1: code });

      const { token: viewToken } = await operator.viewCustomer(demo.customer_no);
      const key = await operator.createCredential(demo.customer_no, { scopes: ['read', 'masked'] });
      const baseUrl = console.service.url;
      const masked = new PostriderClient({ baseUrl, apiKey: key.api_key, apiSecret: key.api_secret });
      for (const looker of [new PostriderClient({ baseUrl, viewToken }), masked]) {
        expect(await textOf(looker)).toMatch(/••••••/);
        expect((await looker.task(task.task_no)).variable_values).toEqual({ p1: '••••••' });
      }
      expect((await operator.task(task.task_no)).variable_values).toEqual({ p1: '••••••' });
      const { token } = await operator.createOperator({ name: 'Looker', role: 'viewer' });
      const viewer = new OperatorClient({ baseUrl, token });
      await expect(viewer.revealTask(task.task_no, { seq: 1 })).rejects.toMatchObject({ code: 'not_permitted' });
      await expect(operator.revealTask(task.task_no, { seq: 2 })).rejects.toMatchObject({ code: 'not_found' });

      const watched = await console.open(`/operator/tasks/${task.task_no}`, { role: 'operator' });
      const { page } = watched;
      await page.getByText('••••••').waitFor();
      expect(await page.locator('body').textContent()).not.toContain(code);
      await page.getByRole('button', { name: 'Show code' }).click();
      await page.getByRole('status').filter({ hasText: code }).waitFor();
      const shown = await operator.auditLog({ action: 'task.reveal' }).page();
      expect(shown.items).toMatchObject([{ subject: task.task_no, change: { seq: 1 } }]);
      expect(await findFaults(page)).toEqual([]);
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('a task names its template and sender on both sides, and leads to them', async () => {
      const { client, demo } = console;
      const held = { template_no: demo.template_no, phones: ['13900001111'], variable_values: ['Ann'] };
      const { task_no: taskNo } = await client.send({ ...held, client_request_id: 'named' });
      const watched = await console.open(`/operator/tasks/${taskNo}`, { role: 'operator' });
      const { page } = watched;
      const template = page.locator(`a[href$="/operator/customers/${demo.customer_no}?tab=sending#templates"]`);
      await template.filter({ hasText: /^Demo$/ }).waitFor();
      await page.getByRole('link', { name: /^Demo \(\d+\)$/ }).click();
      await page.waitForURL(/\?tab=sending#senders$/);
      await page.locator('#senders').getByText('Demo').first().waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();

      const own = await console.open(`/tasks/${taskNo}`, { role: 'customer' });
      await own.page.getByText(/^Demo \(\d+\)/).waitFor();
      await own.page.getByRole('link', { name: 'Demo', exact: true }).click();
      await own.page.getByRole('dialog', { name: 'Demo' }).getByText(demo.template_no).waitFor();
      expect(await findFaults(own.page)).toEqual([]);
      await own.page.keyboard.press('Escape');
      await own.page.waitForURL(/\/templates$/);
      expectQuiet(own, console.service.url);
      await own.close();
    });

    test('a suspended customer is told so, and sends again when active', async () => {
      const watched = await console.open(`/operator/customers/${console.demo.customer_no}`, { role: 'operator' });
      const { page } = watched;
      await page.getByRole('button', { name: 'Suspend' }).click();
      await page.getByText('All API requests of this customer are refused').waitFor();
      const question = page.getByRole('dialog', { name: 'Suspend Demo' });
      await question.getByRole('button', { name: 'Suspend' }).click();
      await page.getByText('suspended', { exact: false }).first().waitFor();
      await expect(console.client.account()).rejects.toMatchObject({ code: 'customer_suspended' });
      await page.getByRole('button', { name: 'Activate' }).click();
      await page.getByRole('button', { name: 'Suspend' }).waitFor();
      await console.client.account();
      await watched.close();
    });

    test('an operator sees what a customer sees, can change nothing, and finds the way back', async () => {
      const { client, demo } = console;
      const held = { template_no: demo.template_no, phones: ['13900001111'], variable_values: ['Ann'] };
      const { task_no: taskNo } = await client.send({ ...held, client_request_id: 'looked at' });
      const watched = await console.open(`/operator/customers/${demo.customer_no}`, { role: 'operator' });
      const { page } = watched;
      await page.getByRole('button', { name: 'View as customer' }).click();
      await page.getByText('You are viewing as Demo').waitFor();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(await page.getByRole('link', { name: 'Compose' }).count()).toBe(0);
      await page.getByRole('link', { name: 'Tasks' }).click();
      await page.getByRole('link', { name: 'looked at' }).click();
      await page.getByRole('heading', { name: 'looked at' }).waitFor();
      await page.getByText('Prepared').first().waitFor();
      for (const name of ['Reserve funds', 'Cancel task'])
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      await page.getByRole('button', { name: 'Back to operator console' }).click();
      await page.getByRole('heading', { name: 'Demo' }).waitFor();
      expect(await page.getByText('You are viewing as').count()).toBe(0);
      expect((await client.task(taskNo)).stage).toBe('prepared');
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('a number leads to the customers that sent to it, and from there to everything that happened to it', async () => {
      const { client, demo } = console;
      const request = { template_no: demo.template_no, variable_values: ['Ann'], auto_freeze: true, auto_submit: true };
      const task = await client.send({ ...request, phones: ['+8613700007777'], client_request_id: 'by its number' });
      await client.waitForTask(task.task_no);
      const watched = await console.open('/operator/platform', { role: 'operator' });
      const { page } = watched;
      const box = page.getByRole('banner').getByLabel('Search');
      await box.fill('137 0000-7777');
      await box.press('Enter');
      const row = page.getByRole('row').filter({ hasText: 'Demo' });
      await row.getByText(/^(un)?delivered$/i).waitFor();
      await row.getByRole('link', { name: task.task_no }).waitFor();
      await row.getByRole('button', { name: 'Full history' }).click();
      await page.getByText('You are viewing as Demo').waitFor();
      await page.getByRole('heading', { name: '+8613700007777' }).waitFor();
      await page.getByText('Receipt:').waitFor();
      await page.getByRole('button', { name: 'Back to operator console' }).click();
      await page.getByRole('heading', { name: '137 0000-7777' }).waitFor();
      await box.fill(task.task_no);
      await box.press('Enter');
      await page.getByRole('heading', { name: 'by its number' }).waitFor();
      await box.fill('by its number');
      await box.press('Enter');
      await page.getByRole('region', { name: 'Tasks' }).getByRole('link', { name: task.task_no }).waitFor();
      await box.fill('dem');
      await box.press('Enter');
      await page.getByRole('region', { name: 'Customers' }).getByRole('link', { name: 'Demo' }).waitFor();
      await page.getByRole('region', { name: 'Channels' }).getByRole('link', { name: 'Demo' }).waitFor();
      await box.fill('+4915112345678');
      await box.press('Enter');
      await page.getByText('No customer has records of this number').waitFor();
      const searches = await new OperatorClient(console.operator).auditLog({ action: 'number.find' }).page();
      // Coming back is another look.
      const looked = ['+4915112345678', '+8613700007777', '+8613700007777'];
      expect(searches.items.map(({ subject }) => subject)).toEqual(looked);
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('customers are searched, filtered and sorted', async () => {
      const operator = new OperatorClient(console.operator);
      await operator.createCustomer({ name: 'Zebra', unit_price: '0.05', billing_mode: 'postpaid' });
      const watched = await console.open('/operator/customers', { role: 'operator' });
      const { page } = watched;
      const names = page.getByRole('table', { name: 'Customers' }).locator('tbody td:first-child a');
      await page.getByLabel('Sort by').selectOption('Name');
      await expect.poll(async () => (await names.allTextContents()).at(-1)).toBe('Zebra');
      await page.getByLabel('Billing').selectOption('Postpaid');
      await expect.poll(() => names.allTextContents()).toEqual(['Zebra']);
      await page.getByLabel('Billing').selectOption('All');
      await page.getByLabel('Name or number').fill('demo');
      await expect.poll(() => names.allTextContents()).toEqual(['Demo']);
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('a template and a price are changed where they stand, and a key is revoked after a question', async () => {
      const { demo } = console;
      const operator = new OperatorClient(console.operator);
      const spare = await operator.createCredential(demo.customer_no, { scopes: ['read'] });
      const watched = await console.open(`/operator/customers/${demo.customer_no}?tab=sending`, { role: 'operator' });
      const { page } = watched;
      type Place = ReturnType<Page['locator']>;
      const change = async (row: Place, label: string, value: string, seen?: (form: Place) => Promise<void>) => {
        await row.getByRole('button', { name: 'Change' }).click();
        const form = page.getByRole('dialog');
        await form.getByLabel(label).fill(value);
        await seen?.(form);
        await form.getByRole('button', { name: 'Save' }).click();
        await form.waitFor({ state: 'detached' });
      };
      await change(
        page.getByRole('row').filter({ hasText: demo.template_no }),
        'Text',
        'Hello {p1}, once more.',
        async (form) => {
          await form.getByLabel('Sample p1').fill('Ann');
          await form.getByText('Hello Ann, once more.').waitFor();
          await form.getByText('1 segment').waitFor();
        },
      );
      await page.getByText('Hello {p1}, once more.').waitFor();
      await fillForm(page, 'Set price', { 'Unit price': '0.02' });
      const prices = page.locator('section', { hasText: 'Prices by carrier' }).last();
      await change(prices.getByRole('row').filter({ hasText: '0.02' }), 'Unit price', '0.05');
      await prices.getByText('0.05').waitFor();
      expect((await operator.prices(demo.customer_no).page()).items).toMatchObject([{ unit_price: '0.050000' }]);
      await page.getByRole('tab', { name: 'API keys' }).click();
      const key = page.getByRole('row').filter({ hasText: spare.api_key });
      await key.getByRole('button', { name: 'Revoke' }).click();
      const question = page.getByRole('dialog');
      await question.getByText("This can't be undone").waitFor();
      expect((await operator.credential(demo.customer_no, spare.api_key)).status).toBe('active');
      await question.getByRole('button', { name: 'Revoke' }).click();
      await key.getByText('Revoked').waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('what was done is in the audit log, found by who and what', async () => {
      const watched = await console.open('/operator/audit?action=customer.change', { role: 'operator' });
      const { page } = watched;
      const table = page.getByRole('table', { name: 'Audit log' });
      await expect.poll(() => table.getByRole('row').count()).toBe(1 + 2);
      await expect.poll(() => table.textContent()).toContain('suspended');
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('what could not be done is seen on the platform, explained, and done once the cause is gone', async () => {
      const { client, demo, sql } = console;
      const watched = await console.open('/operator/set-aside', { role: 'operator' });
      const { page } = watched;
      await page.getByText('The retry queue is empty').waitFor();

      const held = { template_no: demo.template_no, phones: ['13900002222'], variable_values: ['Ann'] };
      const task = await client.send({ ...held, auto_prepare: false, client_request_id: 'cannot be prepared' });
      const [row] = await sql<{ payload: string }[]>`select payload from task where queued_for = 'manual'`;
      await sql`update task set payload = 'no JSON' where queued_for = 'manual'`;
      await client.prepareTask(task.task_no);

      await page.getByRole('link', { name: 'Platform' }).click();
      await page.getByRole('link', { name: '1 item in the retry queue' }).click();
      const listed = page.getByRole('row').filter({ hasText: task.task_no });
      await listed.getByRole('link', { name: 'Demo' }).waitFor();
      await listed.getByRole('button', { name: 'A task could not be prepared' }).click();
      const details = page.getByRole('dialog');
      await details.getByText('is not valid JSON').waitFor();
      await details.getByText('Next retry').waitFor();
      await details.getByRole('link', { name: task.task_no }).click();

      await page.getByRole('heading', { name: 'cannot be prepared' }).waitFor();
      await page.getByText('is not valid JSON').waitFor();
      await sql`update task set payload = ${row?.payload ?? ''} where payload = 'no JSON'`;
      await page.getByRole('button', { name: 'Prepare' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Prepare' }).click();
      await page.getByRole('heading', { name: /Prepared/ }).waitFor();
      await page.getByText('is not valid JSON').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Retry queue' }).click();
      await page.getByText('The retry queue is empty').waitFor();
      await page.getByRole('link', { name: 'Platform' }).click();
      await page.getByRole('region', { name: 'Needs attention' }).getByText('Nothing needs attention').waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('numbers that reach no channel are a concern of the platform, with the way to them', async () => {
      const operator = new OperatorClient(console.operator);
      const { template, credential } = await operator.createOnboarding({
        customer: { name: 'Unreached', unit_price: '0.05' },
        service_account: { name: 'Unreached', sender: '10691236' },
        template: { name: 'Unreached', body: 'Hello' },
        credential: {},
      });
      const key = { apiKey: credential?.api_key ?? '', apiSecret: credential?.api_secret ?? '' };
      const client = new PostriderClient({ baseUrl: console.service.url, ...key });
      const request = { template_no: template?.template_no ?? '', auto_freeze: true, auto_submit: true };
      const task = await client.send({ ...request, phones: ['13800139001', '13800139002'], title: 'Nowhere' });
      await client.waitForTask(task.task_no);
      const watched = await console.open('/operator/platform', { role: 'operator' });
      const { page } = watched;
      const concerns = page.getByRole('region', { name: 'Needs attention' });
      await concerns.getByRole('link', { name: '2 numbers rejected: no channel takes them' }).click();
      const row = page.locator('#rejections').getByRole('row').filter({ hasText: 'no_route' });
      await row.getByRole('button', { name: 'Unreached (2)' }).waitFor();
      expect(new URL(page.url()).hash).toBe('#rejections');
      await page.getByRole('link', { name: 'Tasks', exact: true }).click();
      await page.getByRole('link', { name: 'Nowhere' }).click();
      const notice = page.getByRole('alert').filter({ hasText: 'Nothing was sent: 2 numbers were rejected.' });
      await notice.getByText("None of the customer's channels reaches this number.").waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('an operator by name sees what the role allows, and is out when removed', async () => {
      const operator = new OperatorClient(console.operator);
      const watched = await console.open('/operator/operators', { role: 'operator' });
      await fillForm(watched.page, 'Add operator', { Name: 'Vera', Role: 'Viewer: read' });
      const token = (await watched.page.locator('[role=status] .mono', { hasText: /^op_/ }).textContent()) ?? '';
      const readRole = async () => (await operator.operators().page()).items[0]?.role;
      for (const role of ['support', 'viewer']) {
        await watched.page.getByLabel('Role: Vera').selectOption(role);
        await watched.page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
        await expect.poll(readRole).toBe(role);
      }
      await watched.close();

      const viewer = await console.open('/operator/customers');
      const { page } = viewer;
      await openKeyForm(page);
      await page.getByLabel('Operator token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Demo' }).click();
      await page.getByRole('heading', { name: 'Demo' }).waitFor();
      for (const name of ['Change', 'Suspend']) expect(await page.getByRole('button', { name }).count()).toBe(0);
      const needed = 'View as customer (Admin or Support) · Suspend (Admin or Support) · Change (Admin)';
      await page.getByText(`Needs another role: ${needed}`).waitFor();
      await page.getByRole('tab', { name: 'Money' }).click();
      await page.getByText('Top up (Admin or Finance)').waitFor();
      await page.getByRole('link', { name: 'Operator tokens' }).click();
      await page.getByText('You are Vera').waitFor();
      const [vera] = (await operator.operators().page()).items;
      await operator.removeOperator(vera?.operator_no ?? '');
      await page.getByText('The credentials are no longer valid').waitFor();
      await viewer.close();
    });
  },
);
