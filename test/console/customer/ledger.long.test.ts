// The ledger as people read it: what belongs to a task together, by its title, with plus and minus; and the titles of tasks elsewhere.

import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { type ConsoleService, expectQuiet, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();
const TITLE = 'Autumn offer for everybody who has not bought anything since the spring of last year';

describe.skipIf(missing !== undefined)(`the ledger${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  let taskNo: string;
  beforeAll(async () => {
    console = await startConsoleService();
    const { client, demo } = console;
    const { task_no: no } = await client.send({
      template_no: demo.template_no,
      phones: ['13800139001', '13800139003'],
      variable_values: ['Ann'],
      title: TITLE,
      auto_freeze: true,
      auto_submit: true,
    });
    taskNo = no;
    await client.waitForTask(taskNo);
  });
  afterAll(() => console.stop());

  test('has the entries of a task in one line by its title, with what they took, and each at a press', async () => {
    const watched = await console.open('/ledger', { role: 'customer' });
    const { page } = watched;
    const table = page.getByRole('table', { name: 'Ledger' });
    const line = table.getByRole('row').filter({ hasText: TITLE });
    await line.first().waitFor();
    await expect.poll(() => line.count()).toBe(1);
    // Two were reserved, one was charged, and the one that the carrier refused was released.
    await line.getByText('−0.050000').waitFor();
    await line.getByRole('button', { name: '3 entries' }).click();
    await table.getByRole('row').filter({ hasText: 'Reservation' }).getByText('−0.100000').waitFor();
    await table.getByRole('row').filter({ hasText: 'Release' }).getByText('+0.050000').waitFor();
    await table.getByRole('row').filter({ hasText: 'Charge' }).getByText('−0.050000').waitFor();
    await table.getByRole('row').filter({ hasText: 'Top-up' }).getByText('+1,000.000000').waitFor();
    await page.getByText('Every entry').click();
    await expect.poll(() => table.getByRole('row').filter({ hasText: TITLE }).count()).toBe(3);
    expect(await table.getByRole('button', { name: /entries/ }).count()).toBe(0);
    expectQuiet(watched, console.service.url);
    await watched.close();

    const chinese = await console.open('/ledger', { role: 'customer', locale: 'zh-CN', width: 390 });
    await chinese.page.getByRole('button', { name: '3 笔' }).waitFor();
    await chinese.page.getByText(TITLE).first().waitFor();
    await chinese.close();
  });

  test('a task says its title in the tab, and the names of its template and its sender', async () => {
    const watched = await console.open(`/tasks/${taskNo}`, { role: 'customer' });
    const { page } = watched;
    await page.getByRole('heading', { name: TITLE }).waitFor();
    await expect.poll(() => page.title()).toBe(`${TITLE} · Postrider`);
    await page.getByText(/^Demo M/).waitFor();
    await page.getByText(/^Demo \(10690000\)/).waitFor();
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    const shown = page.getByRole('table', { name: 'Tasks' }).getByText(TITLE);
    // Whole for a screen reader, and cut where there is no room for it: nothing of its end is shown.
    expect(await shown.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)).toBe(true);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('the audit log calls the fields as the forms do', async () => {
    const operator = new OperatorClient(console.operator);
    await operator.updateCustomer(console.demo.customer_no, { daily_limit: '500', low_balance: '5' });
    await operator.updateCustomer(console.demo.customer_no, {
      caps: [{ class: 'otp', scope: 'customer', count: 3, per: '60s' }],
    });
    const watched = await console.open('/operator/audit', { role: 'operator' });
    const { page } = watched;
    await page.getByRole('row').filter({ hasText: 'Frequency caps: – → per' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Daily limit' });
    await row.getByText('Daily limit: – → 500.000000').waitFor();
    await row.getByRole('button', { name: 'Customer changed' }).click();
    const change = page.getByRole('dialog').getByRole('row').filter({ hasText: 'Low-balance alert below' });
    await change.getByText('5.000000').waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});
