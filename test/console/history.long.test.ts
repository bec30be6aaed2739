// What an operator does about history in the console: erase a number, see what is kept, release channels that are held.

import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import { findFaults } from '../support/find-faults.js';
import { type ConsoleService, expectQuiet, startConsoleService } from './console-service.js';

const missing = findBrowserMissing();
const NUMBERS = 200;
const phones = Array.from({ length: NUMBERS }, (_, index) => String(13_800_100_000 + index));

describe.skipIf(missing !== undefined)(`history in the console${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  test('a number is erased after a confirmation, and its progress is shown', { timeout: 180_000 }, async () => {
    const { client, demo } = console;
    const request = { template_no: demo.template_no, variable_values: ['Ann'], auto_freeze: true, auto_submit: true };
    const task = await client.send({ ...request, phones: ['13900139001'] });
    await client.waitForTask(task.task_no);
    const watched = await console.open('/operator/erasures', { role: 'operator' });
    const { page } = watched;
    await page.getByText('No number was erased.').waitFor();
    await page.getByRole('button', { name: 'Erase number' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Phone').fill('13900139001');
    await form.getByLabel('Remark').fill('Request 4711');
    await form.getByRole('button', { name: 'Erase number' }).click();
    await page.getByText("can't be restored").waitFor();
    await page.getByRole('button', { name: 'Erase number' }).last().click();
    const row = page.getByRole('row').filter({ hasText: 'Request 4711' });
    await row.getByText('Done').waitFor({ timeout: 60_000 });
    await row.getByText(/Receipts 1/).waitFor();
    expect(await page.locator('body').textContent()).not.toContain('13900139001');
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Retention' }).click();
    await page.getByText('Forever (POSTRIDER_RETENTION is not set)').waitFor();
    expect(await findFaults(page)).toEqual([]);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('held channels show what may have been sent, and are released after a confirmation', {
    timeout: 180_000,
  }, async () => {
    const { client, demo, sql } = console;
    const operator = new OperatorClient(console.operator);
    const [channel] = (await operator.channels().page()).items;
    const channelNo = channel?.channel_no ?? '';
    await operator.updateChannel(channelNo, { parts_per_second: 1 });
    const request = { template_no: demo.template_no, variable_values: ['Ann'], auto_freeze: true, auto_submit: true };
    const { task_no: taskNo } = await client.send({ ...request, phones });
    await expect.poll(async () => (await client.task(taskNo)).stage, { timeout: 30_000 }).toBe('submitting');
    const watched = await console.open('/operator/held-channels', { role: 'operator' });
    const { page } = watched;
    await page.getByText('Channels are open').waitFor();
    await sql`update recovery set system_identifier = '7'`;
    await page.getByText('All channels are held').waitFor({ timeout: 60_000 });
    await page.getByText('Another database answers at this address.').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Demo' });
    await row.waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Platform', exact: true }).click();
    await page.getByRole('link', { name: /^Channels are held/ }).click();
    await page.getByRole('button', { name: 'Release channels' }).click();
    await page.getByRole('dialog').getByLabel('Remark').fill('Asked the carrier');
    await page.getByRole('dialog').getByRole('button', { name: 'Release channels' }).click();
    await page.getByText(/marked unconfirmed and never sent again/).waitFor();
    expect((await operator.recovery()).state).toBe('held');
    await page.getByRole('button', { name: 'Release channels' }).last().click();
    await page.getByText('Channels were released').waitFor();
    await expect.poll(() => page.getByRole('status').textContent()).toMatch(/\d+ numbers in 1 task marked unconfirmed/);
    expect((await operator.recovery()).state).toBe('open');
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});
