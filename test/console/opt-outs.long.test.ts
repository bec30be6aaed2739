// Who wants nothing more from a customer, as operators keep the list and the customer reads it, in a real browser against a real service.

import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import { type ConsoleService, expectQuiet, openKeyForm, startConsoleService } from './console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`opt-outs${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  let path: string;
  beforeAll(async () => {
    console = await startConsoleService();
    path = `/operator/customers/${console.demo.customer_no}?tab=optOuts`;
  });
  afterAll(() => console.stop());

  async function sendTo(phone: string): Promise<string | null | undefined> {
    const { client, demo } = console;
    const request = { template_no: demo.template_no, variable_values: ['Ann'], auto_freeze: true, auto_submit: true };
    const { task_no: taskNo } = await client.send({ ...request, phones: [phone] });
    await client.waitForTask(taskNo);
    return (await client.receipts({ taskNo }).page()).items[0]?.code;
  }

  test('are added, with faults at the field, and taken off after a question', async () => {
    const watched = await console.open(path, { role: 'operator' });
    const { page } = watched;
    await page.getByText('No opt-outs').waitFor();
    await page.getByRole('button', { name: 'Add number' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Phone').fill('123');
    await form.getByRole('button', { name: 'Add number' }).click();
    await form.getByText('is not a real phone number').waitFor();
    await expect.poll(() => form.getByLabel('Phone').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('Phone').fill('139 0000-4444');
    await form.getByRole('button', { name: 'Add number' }).click();
    await form.waitFor({ state: 'detached' });
    const row = page.getByRole('row').filter({ hasText: '139 0000-4444' });
    await row.getByText('Operator').waitFor();
    expect(await sendTo('13900004444')).toBe('opted_out');

    // A second time it is refused, and the form says so.
    await page.getByRole('button', { name: 'Add number' }).click();
    await form.getByLabel('Phone').fill('13900004444');
    await form.getByRole('button', { name: 'Add number' }).click();
    await form.getByRole('alert').getByText('The number has opted out already.').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('search').last().getByLabel('Phone').fill('+8613900004445');
    await page.getByText('No results for these filters').waitFor();
    await page.getByRole('search').last().getByLabel('Phone').fill('+8613900004444');
    await row.getByRole('button', { name: 'Remove' }).click();
    const question = page.getByRole('dialog', { name: 'Remove 139 0000-4444 from the opt-out list' });
    await question.getByText('reach the number again').waitFor();
    expect((await console.client.optOuts().page()).total).toBe(1);
    await question.getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await sendTo('13900004444')).not.toBe('opted_out');
    expect(new URL(page.url()).searchParams.get('tab')).toBe('optOuts');

    const { items } = await new OperatorClient(console.operator).auditLog().page();
    const actions = items.map(({ action }) => action).filter((action) => action.startsWith('opt_out.'));
    expect(actions).toEqual(['opt_out.delete', 'opt_out.create']);
    // The two refusals are lines of the network log of the browser, and nothing else is.
    expect(watched.complaints.filter((text) => !/400|409/.test(text))).toEqual([]);
    await watched.close();
  });

  test('that a reply made are taken off with a warning', async () => {
    expect(await sendTo('13800139009')).not.toBe('opted_out');
    await expect.poll(async () => (await console.client.optOuts().page()).total).toBe(1);
    const watched = await console.open(path, { role: 'operator' });
    const { page } = watched;
    const row = page.getByRole('row').filter({ hasText: 'Reply' });
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByText('asked for no more messages').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
    expect((await console.client.optOuts().page()).total).toBe(1);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('are read by the customer, found in any spelling, and lead to what happened to the number', async () => {
    const watched = await console.open('/overview', { role: 'customer' });
    const { page } = watched;
    await page.getByRole('link', { name: 'Opt-outs' }).click();
    const table = page.getByRole('table', { name: 'Opt-outs' });
    await table.getByText('Reply').waitFor();
    await page.getByRole('main').getByLabel('Phone').fill('+86 138 0013 9008');
    await page.getByText('No results for these filters').waitFor();
    await page.getByRole('main').getByLabel('Phone').fill('+86 138 0013 9009');
    await table.getByRole('link', { name: /13800139009$/ }).click();
    await page.getByText('This number opted out').waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('are only read by who may not configure, and refusals are told in Chinese', async () => {
    const operator = new OperatorClient(console.operator);
    const { token } = await operator.createOperator({ name: 'Sue', role: 'support' });
    const watched = await console.open(path);
    const { page } = watched;
    await openKeyForm(page);
    await page.getByLabel('Operator token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('row').filter({ hasText: 'Reply' }).waitFor();
    await page.getByText('Needs another role: Add number (Admin) · Remove (Admin)').waitFor();
    for (const name of ['Add number', 'Remove']) expect(await page.getByRole('button', { name }).count()).toBe(0);
    await watched.close();

    const chinese = await console.open(path, { role: 'operator', locale: 'zh-CN' });
    await chinese.page.getByRole('button', { name: '添加号码' }).click();
    const form = chinese.page.getByRole('dialog');
    await form.getByLabel('号码').fill('13800139009');
    await form.getByRole('button', { name: '添加号码' }).click();
    await form.getByRole('alert').getByText('该号码已在退订名单中。').waitFor();
    expect(await form.getByRole('alert').textContent()).not.toContain('already.');
    await chinese.close();
  });
});
