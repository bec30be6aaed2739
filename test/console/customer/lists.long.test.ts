// The customer's lists as the viewer wants them: columns and filters under a name, on every list that grows.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { type ConsoleService, expectQuiet, signIn, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`lists of a customer${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
    const { client, demo } = console;
    const phones = ['13900001111', '13900001112'];
    const task = { template_no: demo.template_no, phones, variable_values: ['Ann'], client_request_id: 'columns-1' };
    const { task_no: taskNo } = await client.send({ ...task, auto_freeze: true, auto_submit: true });
    await client.waitForTask(taskNo);
  });
  afterAll(() => console.stop());

  test('tasks have columns to choose and filters to save, and stay within the page with all of them', async () => {
    const watched = await console.open('/tasks', { role: 'customer' });
    const { page } = watched;
    const head = (name: string) => page.getByRole('columnheader', { name, exact: true });
    await head('Template').waitFor();
    expect(await head('Sender').count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    const boxes = page.getByRole('group', { name: 'Columns' }).getByRole('checkbox');
    await boxes.first().waitFor();
    for (const box of await boxes.all()) await box.check();
    await page.keyboard.press('Escape');
    await page.getByRole('cell', { name: /^Demo \(\d+\)$/ }).waitFor();
    await page.getByRole('cell', { name: 'columns-1', exact: true }).nth(1).waitFor();
    expect(await findFaults(page)).toEqual([]);
    for (const width of [1030, 1200]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('combobox', { name: 'Stage' }).selectOption({ label: 'Cancelled' });
    await page.getByText('No results for these filters').waitFor();
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'Save these filters' }).click();
    await page.getByLabel('Name of these filters').fill('Cancelled ones');
    await page.keyboard.press('Enter');
    await page.goto(`${console.service.url}/console/tasks`);
    await signIn(page, 'customer', console.demo);
    await head('Sender').waitFor();
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'Cancelled ones', exact: true }).click();
    await page.waitForURL(/\?stage=cancelled$/);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('tasks are cancelled together, after their count was said, and no others', async () => {
    const { client, demo } = console;
    const held = { template_no: demo.template_no, phones: ['13900001113', '13900001114'], variable_values: ['Ann'] };
    const [first, second, third] = await Promise.all(
      ['off-1', 'off-2', 'on-1'].map((id) => client.send({ ...held, client_request_id: id })),
    );
    const watched = await console.open('/tasks', { role: 'customer' });
    const { page } = watched;
    for (const id of ['off-1', 'off-2']) {
      const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: id }) });
      await row.getByRole('checkbox').check();
    }
    await page.getByText('2 tasks, 4 unsent numbers').waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel tasks' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel tasks' });
    await dialog.getByText('4 unsent numbers of 2 tasks end now').waitFor();
    await dialog.getByRole('button', { name: 'Cancel tasks' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Nothing selected').waitFor();
    for (const task of [first, second]) expect((await client.task(task?.task_no ?? '')).stage).toBe('cancelled');
    expect((await client.task(third?.task_no ?? '')).counts.unsent).toBe(2);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test.each([
    { path: '/receipts', hidden: 'Carrier time', shown: 'Code' },
    { path: '/ledger', hidden: 'Entry number', shown: 'Reserved after' },
    { path: '/batches', shown: 'Charged' },
    { path: '/templates', shown: 'Class' },
  ])('$path has columns to choose', async ({ path, hidden, shown }) => {
    const watched = await console.open(path, { role: 'customer' });
    const { page } = watched;
    const head = (name: string) => page.getByRole('columnheader', { name, exact: true });
    if (path === '/batches') {
      await page.getByText('No batches yet').waitFor();
    } else await head(shown).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: shown, exact: true }).uncheck();
    await head(shown).waitFor({ state: 'detached' });
    if (hidden !== undefined) {
      await page.getByRole('checkbox', { name: hidden, exact: true }).check();
      await head(hidden).waitFor();
    }
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Saved filters' }).count()).toBe(path === '/batches' ? 0 : 1);
    expect(await findFaults(page)).toEqual([]);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('the replies keep filters, and a task the columns of its records', async () => {
    const watched = await console.open('/replies', { role: 'customer' });
    const { page } = watched;
    await page.getByRole('button', { name: 'Saved filters' }).waitFor();
    expect(await page.getByRole('button', { name: 'Columns' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByRole('link', { name: 'columns-1' }).first().click();
    const records = page.locator('#records');
    await records.getByRole('columnheader', { name: 'Code', exact: true }).waitFor();
    await records.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Code', exact: true }).uncheck();
    await page.getByRole('checkbox', { name: 'Carrier', exact: true }).check();
    await records.getByRole('columnheader', { name: 'Carrier', exact: true }).waitFor();
    expect(await records.getByRole('columnheader', { name: 'Code', exact: true }).count()).toBe(0);
    expect(await findFaults(page)).toEqual([]);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});
