// Every figure on screen leads to the rows behind it, in a real browser against a real service.

import { OperatorClient } from '@postrider/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import { until } from '../support/until.js';
import { type ConsoleService, expectQuiet, openKeyForm, signIn, startConsoleService } from './console-service.js';

const missing = findBrowserMissing();

/** The filters of the page that is shown. */
function filtersOf(page: Page): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

async function expectRows(page: Page, table: string, count: number): Promise<void> {
  const rows = page.getByRole('table', { name: table }).getByRole('row');
  await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(1 + count);
}

describe.skipIf(missing !== undefined)(`figures${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  let taskNo: string;
  beforeAll(async () => {
    console = await startConsoleService();
    const { client, demo } = console;
    const task = await client.send({
      template_no: demo.template_no,
      phones: ['13800139001', '13800139001', '13800139002', '13800139003', '13800139006'],
      variable_values: ['Ann'],
      client_request_id: 'counted',
      batch_id: 'of one',
      auto_freeze: true,
      auto_submit: true,
    });
    taskNo = task.task_no;
    await client.waitForTask(taskNo);
  });
  afterAll(() => console.stop());

  test('of a task lead an operator to the rows of the customer, and that is written down', async () => {
    const operator = new OperatorClient(console.operator);
    const countViews = async () => (await operator.auditLog({ action: 'customer.view' }).page()).total;
    const before = await countViews();
    const watched = await console.open(`/operator/tasks/${taskNo}`, { role: 'operator' });
    const { page } = watched;
    const outcomes = page.locator('section', { hasText: 'Delivery status' });
    const goBack = async () => {
      await page.getByRole('button', { name: 'Back to operator console' }).click();
      await page.getByRole('heading', { name: 'counted' }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/console/operator/tasks/${taskNo}`);
    };

    await outcomes.getByRole('listitem').filter({ hasText: 'Rejected' }).getByRole('button', { name: '2' }).click();
    await page.getByText('You are viewing as Demo').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/tasks/${taskNo}`);
    expect(filtersOf(page)).toEqual({ tab: 'receipts', result: 'rejected' });
    await expectRows(page, 'Receipts', 2);
    await goBack();

    const money = page.locator('section', { hasText: 'Money' });
    await money.getByRole('row', { name: 'Released' }).getByRole('button').click();
    await page.getByText('You are viewing as Demo').waitFor();
    expect(filtersOf(page)).toEqual({ task_no: taskNo, type: 'release' });
    await page.getByRole('table', { name: 'Ledger' }).getByText('Release').first().waitFor();
    await goBack();

    // What is nothing leads nowhere.
    expect(await outcomes.getByRole('button', { name: '0' }).count()).toBe(0);
    expect(await countViews()).toBe(before + 2);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('of a task are plain to an operator who may not look on as a customer', async () => {
    const operator = new OperatorClient(console.operator);
    const { token } = await operator.createOperator({ name: 'Fay', role: 'finance' });
    const watched = await console.open(`/operator/tasks/${taskNo}`);
    const { page } = watched;
    await openKeyForm(page);
    await page.getByLabel('Operator token').fill(token);
    await page.keyboard.press('Enter');
    const outcomes = page.locator('section', { hasText: 'Delivery status' });
    await outcomes.getByText('Delivered', { exact: true }).waitFor();
    await page.getByText('View as customer (Admin or Support)').waitFor();
    expect(await page.getByRole('main').locator('section').getByRole('button', { name: /^\d/ }).count()).toBe(0);
    await watched.close();
  });

  test('of an error code lead to the messages behind it, and those of the wire to the codes', async () => {
    const { channel_no: channelNo } = console.demo;
    const watched = await console.open(`/operator/channels/${channelNo}`, { role: 'operator' });
    const { page } = watched;
    const codes = page.locator('section', { hasText: 'Error codes' });
    const rowOf = (code: string) => codes.getByRole('row').filter({ hasText: code });
    // The process that speaks for the channel tells its counts every few seconds.
    await rowOf('REFUSED').waitFor();
    await page.setViewportSize({ width: 1280, height: 400 });
    await page
      .locator('dt', { hasText: /^Rejected$/ })
      .locator('+ dd')
      .getByRole('link', { name: '1' })
      .click();
    expect(new URL(page.url()).hash).toBe('#codes');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('codes');
    await expect.poll(() => page.evaluate('document.activeElement.getBoundingClientRect().top')).toBeLessThan(200);
    expect(await page.evaluate('document.activeElement.getBoundingClientRect().top')).toBeGreaterThan(0);

    await rowOf('REFUSED').getByRole('link', { name: '1' }).click();
    await page.getByRole('heading', { name: 'Failed messages' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/operator/channels/${channelNo}/failures`);
    expect(filtersOf(page)).toMatchObject({ event: 'refused', code: 'REFUSED' });
    await expectRows(page, 'Failed messages', 1);
    await page.getByRole('table').getByRole('link', { name: '13800139003' }).waitFor();
    await page.reload();
    await signIn(page, 'operator', console.demo);
    await page.getByRole('table').getByRole('link', { name: taskNo }).click();
    await page.getByRole('heading', { name: 'counted' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/operator/tasks/${taskNo}`);
    await page.goBack();
    await page.getByRole('link', { name: 'Demo' }).first().click();
    await rowOf('UNDELIV').getByRole('link', { name: '1' }).click();
    await page.getByRole('table').getByRole('link', { name: '13800139002' }).waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('of error codes that stand for many, or for what goes again, lead nowhere', async () => {
    const watched = await console.open('/operator/firms', { role: 'operator' });
    const { page } = watched;
    const seen = { count: 7, last_at: new Date().toISOString() };
    await page.route('**/operator/v1/platform', async (route) => {
      const platform = await (await route.fetch()).json();
      platform.channels[0].codes = [
        { ...seen, event: 'refused', code: 'other codes' },
        { ...seen, event: 'throttled', code: 'ESME_RTHROTTLED' },
        { ...seen, event: 'expired', code: 'EXPIRED' },
      ];
      await route.fulfill({ json: platform });
    });
    await page.getByRole('link', { name: 'Platform', exact: true }).click();
    const codes = page.locator('section', { hasText: 'Error codes' });
    await codes.getByRole('row').filter({ hasText: 'EXPIRED' }).getByRole('link', { name: '7' }).waitFor();
    await expect.poll(() => codes.getByRole('link', { name: '7' }).count()).toBe(1);
    await watched.close();
  });

  test('of the balance lead an operator to the ledger of the customer', async () => {
    const watched = await console.open(`/operator/customers/${console.demo.customer_no}`, { role: 'operator' });
    const { page } = watched;
    await page.getByRole('main').getByRole('button', { name: /CNY$/ }).first().click();
    await page.getByText('You are viewing as Demo').waitFor();
    await page.getByRole('table', { name: 'Ledger' }).getByText('Top-up').waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('of the platform lead an operator to the tasks', async () => {
    const watched = await console.open('/operator/platform', { role: 'operator' });
    const { page } = watched;
    await page.getByText('Segments answered', { exact: true }).first().locator('xpath=..').getByRole('link').click();
    await page.getByRole('heading', { name: 'Tasks' }).waitFor();
    expect(filtersOf(page)).toEqual({ stage: 'submitting' });
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('of a number lead to its receipts, those of a template to its tasks', async () => {
    const watched = await console.open('/numbers/13800139002', { role: 'customer' });
    const { page } = watched;
    await page.locator('dl', { hasText: 'Receipts' }).getByRole('link', { name: '1' }).first().click();
    await page.getByRole('heading', { name: 'Receipts' }).waitFor();
    expect(filtersOf(page)).toEqual({ phone: '13800139002' });
    await expectRows(page, 'Receipts', 1);

    await page.getByRole('link', { name: 'Statements' }).click();
    const templates = page.locator('section', { hasText: 'By template' });
    await templates.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Tasks' }).waitFor();
    expect(filtersOf(page).template_no).toBe(console.demo.template_no);
    await expectRows(page, 'Tasks', 1);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('of a batch stand above its tasks', async () => {
    const watched = await console.open('/batches/of one', { role: 'customer' });
    const { page } = watched;
    await page.getByRole('table', { name: 'Tasks' }).getByRole('link', { name: 'counted' }).click();
    await page.getByRole('heading', { name: 'counted' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/tasks/${taskNo}`);
    await watched.close();
  });

  test('of money lead to their task on a phone, too, where the filters are folded away', async () => {
    const watched = await console.open('/ledger', { role: 'customer', width: 390 });
    const { page } = watched;
    const type = page.getByLabel('Type', { exact: true });
    await page.getByRole('table', { name: 'Ledger' }).waitFor();
    await expect.poll(() => type.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await type.selectOption('charge');
    await page.getByRole('button', { name: 'Filters: 1' }).click();
    await expect.poll(() => type.isVisible()).toBe(false);
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Reservation' }).count()).toBe(0);
    // Anywhere on the row: what gets the press is the link that covers it.
    await page.getByRole('row').filter({ hasText: 'Charge' }).first().getByText('balance').click({ force: true });
    await page.getByRole('heading', { name: 'counted' }).waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('of money lead a customer to the entries of the ledger', async () => {
    const { client, demo } = console;
    const entries = async (type: 'charge' | 'freeze') => (await client.ledgers({ taskNo, type }).page()).total;
    const watched = await console.open(`/tasks/${taskNo}`);
    const { page } = watched;
    await signIn(page, 'customer', demo);
    const money = page.locator('section', { hasText: 'Money' });
    await money.getByRole('row', { name: 'Charged' }).getByRole('link').click();
    await expectRows(page, 'Ledger', await entries('charge'));

    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByRole('link', { name: 'of one' }).click();
    await money
      .getByRole('row', { name: /^Reserved in total/ })
      .getByRole('link')
      .click();
    await expectRows(page, 'Ledger', await entries('freeze'));
    expect(filtersOf(page)).toEqual({ batch_id: 'of one', type: 'freeze' });

    await page.getByRole('link', { name: 'Overview' }).click();
    // One of the four that were handed over; the repeated one was not.
    await page.locator('dl').getByRole('link', { name: '25.0 %' }).click();
    await expectRows(page, 'Receipts', 1);
    expect(filtersOf(page)).toMatchObject({ result: 'delivered' });

    await page.getByRole('link', { name: 'Statements' }).click();
    const balances = page.getByRole('region', { name: 'By day' }).getByRole('row').last().getByRole('link');
    await balances.last().click();
    await expectRows(page, 'Ledger', (await client.ledgers().page()).total);
    await page.getByRole('navigation', { name: 'Navigation' }).getByRole('link', { name: 'Statements' }).click();
    const amounts = page.getByRole('region', { name: 'By template' }).getByRole('row').last().getByRole('link');
    await amounts.last().click();
    await expectRows(page, 'Tasks', 1);
    expect(filtersOf(page).template_no).toBe(demo.template_no);
    await page.getByRole('link', { name: 'Statements' }).click();
    const sums = page.getByRole('region', { name: 'Entries' });
    await sums.getByRole('row', { name: 'Top-up' }).getByRole('link').last().click();
    await expectRows(page, 'Ledger', 1);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('of a firm lead to its receipts', async () => {
    const { client } = console;
    const [{ firm = '' } = {}] = (await client.receipts({ taskNo, result: 'delivered' }).page()).items;
    const [of, none] = await Promise.all([firm ?? '', '-'].map((one) => client.receipts({ firm: one }).page()));
    expect(of?.total).toBeGreaterThan(1);
    expect(none?.total).toBeGreaterThan(0);
    const watched = await console.open('/overview', { role: 'customer' });
    const { page } = watched;
    const firms = page.locator('section', { hasText: 'Delivery rate by carrier' });
    await firms.getByRole('link', { name: /\.\d %/ }).click();
    await expectRows(page, 'Receipts', 1);
    expect(filtersOf(page)).toMatchObject({ firm, result: 'delivered' });
    await page.getByLabel('Result').selectOption('');
    await expectRows(page, 'Receipts', of?.total ?? 0);

    // A number that was never sent has no rate.
    await page.getByRole('link', { name: 'Overview' }).click();
    await firms.getByRole('listitem').first().waitFor();
    expect(await firms.getByText('Not routed').count()).toBe(0);

    await page.getByRole('link', { name: 'Statements' }).click();
    const sums = page.getByRole('region', { name: 'By carrier' });
    await sums.getByRole('row').filter({ hasText: 'Not routed' }).getByRole('link').nth(1).click();
    await expectRows(page, 'Receipts', none?.total ?? 0);
    expect(filtersOf(page)).toMatchObject({ firm: '-', result: 'rejected' });
    await expect.poll(() => page.getByLabel('Carrier').locator('option:checked').textContent()).toBe('Not routed');
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('of what is unsent lead to its numbers', async () => {
    const { client, demo } = console;
    const task = await client.send({
      template_no: demo.template_no,
      phones: ['13800139001', 'nonsense', '13800139002'],
      variable_values: ['Ann'],
      client_request_id: 'held',
    });
    await client.waitForTask(task.task_no, { until: ({ stage }) => stage === 'prepared' });
    const watched = await console.open(`/tasks/${task.task_no}`, { role: 'customer' });
    const { page } = watched;
    const outcomes = page.locator('section', { hasText: 'Delivery status' });
    await outcomes.getByRole('listitem').filter({ hasText: 'Unsent' }).getByRole('link', { name: '2' }).click();
    expect(filtersOf(page)).toEqual({ tab: 'unsent' });
    await expectRows(page, 'Unsent', 2);
    await page.getByRole('table', { name: 'Unsent' }).getByRole('link', { name: '13800139002' }).waitFor();
    // On a phone, too, the tab that is open is in sight among the others.
    const phone = await console.open(`/tasks/${task.task_no}?tab=unsent`, { role: 'customer', width: 390 });
    const tab = phone.page.getByRole('tab', { name: 'Unsent' });
    await until('the tab is in sight', async () => {
      const box = await tab.boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= 390;
    });
    await phone.close();
    await client.cancelTask(task.task_no);
    await page.getByText('Nothing is unsent').waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});
