// Numbers that were cancelled are cancelled wherever the console shows them, and no rate is made of what was never sent.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { until } from '../../support/until.js';
import { type ConsoleService, expectQuiet, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`cancelled numbers${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  test('are counted apart from rejected ones in bars, counts and lists', async () => {
    const { client, demo, service } = console;
    const { task_no: taskNo } = await client.send({
      template_no: demo.template_no,
      phones: ['13800139001', '13800139002', '123'],
      variable_values: ['Ann'],
      title: 'Called off',
      batch_id: 'called-off',
      auto_prepare: true,
    });
    await until('it is prepared', async () => (await client.task(taskNo)).stage === 'prepared');
    await client.cancelTask(taskNo);
    const watched = await console.open(`/tasks/${taskNo}`, { role: 'customer' });
    const { page } = watched;
    const expectCounts = async () => {
      const counts = page.locator('section', { hasText: 'Delivery status' });
      await counts.getByRole('img', { name: '2 Cancelled, 1 Rejected' }).waitFor();
      const legend = counts.getByRole('listitem');
      await legend.filter({ hasText: 'Cancelled' }).getByText('2', { exact: true }).waitFor();
      await legend.filter({ hasText: 'Rejected' }).getByText('1', { exact: true }).waitFor();
    };
    await expectCounts();
    const receipts = page.getByRole('table', { name: 'Receipts' });
    await expect.poll(() => receipts.getByRole('row').filter({ hasText: 'Cancelled' }).count()).toBe(2);
    await expect.poll(() => receipts.getByRole('row').filter({ hasText: 'Rejected' }).count()).toBe(1);
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'called-off' }).click();
    await expectCounts();
    await page.getByRole('link', { name: 'Overview' }).click();
    const rates = page.locator('section', { hasText: 'Delivery rate by carrier' });
    await rates.getByText('No data in this period').waitFor();
    expect(await findFaults(page)).toEqual([]);
    expectQuiet(watched, service.url);
    await watched.close();
  });
});
