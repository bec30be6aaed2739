// Lists as the viewer wants them: columns, filters under a name, and what is done with many rows at once.

import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { type ConsoleService, expectQuiet, signIn, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`lists in the console${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  test('columns and filters are chosen, and stay after a reload', async () => {
    const watched = await console.open('/operator/customers', { role: 'operator' });
    const { page } = watched;
    const head = (name: string) => page.getByRole('columnheader', { name, exact: true });
    await head('Billing').waitFor();
    expect(await head('Customer number').count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Billing' }).uncheck();
    await page.getByRole('checkbox', { name: 'Customer number' }).check();
    await head('Customer number').waitFor();
    expect(await head('Billing').count()).toBe(0);
    expect(await findFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Status' }).selectOption({ label: 'Suspended' });
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'Save these filters' }).click();
    await page.getByLabel('Name of these filters').fill('Stopped');
    await page.keyboard.press('Enter');
    await page.goto(`${console.service.url}/console/operator/customers`);
    await signIn(page, 'operator', console.demo);
    await head('Customer number').waitFor();
    expect(await head('Billing').count()).toBe(0);
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'Stopped', exact: true }).click();
    await page.waitForURL(/\?status=suspended$/);
    await page.getByText('No results for these filters').waitFor();
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'Remove “Stopped”' }).click();
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByText('No saved filters yet').waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('tasks are cancelled together, after their count was said, and no others', async () => {
    const { client, demo } = console;
    const held = { template_no: demo.template_no, phones: ['13900001111', '13900001112'], variable_values: ['Ann'] };
    const [first, second, third] = await Promise.all(
      ['bulk-1', 'bulk-2', 'bulk-3'].map((id) => client.send({ ...held, client_request_id: id })),
    );
    const operator = new OperatorClient(console.operator);
    const watched = await console.open('/operator/tasks', { role: 'operator' });
    const { page } = watched;
    const rowOf = (id = '') => page.getByRole('row').filter({ has: page.getByRole('link', { name: id }) });
    for (const task of [first, second])
      await rowOf(task?.client_request_id ?? '')
        .getByRole('checkbox')
        .check();
    await page.getByText('2 tasks, 4 unsent numbers').waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel tasks' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel tasks' });
    await dialog.getByText('4 unsent numbers of 2 tasks end now').waitFor();
    expect((await operator.task(first?.task_no ?? '')).stage).not.toBe('cancelled');
    await dialog.getByRole('button', { name: 'Cancel tasks' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Nothing selected').waitFor();
    for (const task of [first, second]) expect((await operator.task(task?.task_no ?? '')).stage).toBe('cancelled');
    expect((await operator.task(third?.task_no ?? '')).counts.unsent).toBe(2);
    // The list in the page of a customer has its columns to choose, too.
    await page.goto(`${console.service.url}/console/operator/customers/${demo.customer_no}?tab=tasks`);
    await signIn(page, 'operator', demo);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Class' }).check();
    await page.getByRole('columnheader', { name: 'Class', exact: true }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});
