// A month of money in the console: its sums agree, and a month that is not over says so.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { until } from '../../support/until.js';
import { type ConsoleService, expectQuiet, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`a statement${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  test('adds up to the ledger, with what is charged without a result, and is provisional while the month runs', async () => {
    const { client, demo, service } = console;
    // One is delivered; the carrier accepts the other and never reports.
    const task = await client.send({
      template_no: demo.template_no,
      phones: ['13800139001', '13800139007'],
      variable_values: ['Ann'],
      auto_freeze: true,
      auto_submit: true,
    });
    await until('both are charged', async () => {
      const { amounts, counts } = await client.task(task.task_no);
      return amounts.charged === '0.100000' && counts.delivered === 1;
    });
    const month = new Date().toISOString().slice(0, 7);
    const watched = await console.open(`/statements/${month}`, { role: 'customer' });
    const { page } = watched;
    await page.getByRole('heading', { name: `Statement ${month}, provisional` }).waitFor();
    const carriers = page.getByRole('region', { name: 'By carrier' });
    const lines = async () => (await carriers.getByRole('row').allTextContents()).slice(-2);
    await expect
      .poll(lines)
      .toEqual([
        expect.stringMatching(/^Charged, result pending.*0\.050000$/),
        expect.stringMatching(/^Total, as in the ledger.*0\.100000$/),
      ]);
    await carriers.getByRole('row', { name: 'Total, as in the ledger' }).getByRole('link').click();
    expect(new URL(page.url()).searchParams.get('type')).toBe('charge');
    await page.goBack();
    expect(await findFaults(page)).toEqual([]);
    expectQuiet(watched, service.url);
    await watched.close();
  });
});
