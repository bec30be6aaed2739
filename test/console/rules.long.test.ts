// The sending rules of a customer as operators set them by forms, in a real browser against a real service.

import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import { type ConsoleService, startConsoleService } from './console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`sending rules${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  let operator: OperatorClient;
  let path: string;
  beforeAll(async () => {
    console = await startConsoleService();
    operator = new OperatorClient(console.operator);
    path = `/operator/customers/${console.demo.customer_no}?tab=rules`;
  });
  afterAll(() => console.stop());

  const readCustomer = () => operator.customer(console.demo.customer_no);

  test('caps are added, changed and removed, with faults at the field', async () => {
    const watched = await console.open(path, { role: 'operator' });
    const { page } = watched;
    const form = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add cap' }).click();
    await form.getByLabel('Messages').fill('0');
    await form.getByLabel('Within').fill('soon');
    await form.getByRole('button', { name: 'Add cap' }).click();
    await expect.poll(() => form.locator('[aria-invalid="true"]').count()).toBe(2);
    await expect.poll(() => form.getByLabel('Messages').getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => form.getByLabel('Within').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('Messages').fill('3');
    await form.getByLabel('Within').fill('24h');
    await form.getByRole('button', { name: 'Add cap' }).click();
    await form.waitFor({ state: 'detached' });
    expect((await readCustomer()).caps).toEqual([{ class: null, scope: 'customer', count: 3, per: '24h' }]);

    // The faults of a second entry stand at its own fields.
    await page.getByRole('button', { name: 'Add cap' }).click();
    await form.getByLabel('Class').selectOption({ label: 'Code' });
    await form.getByLabel('Counts').selectOption({ label: 'Each template apart' });
    await form.getByLabel('Messages').fill('x');
    await form.getByLabel('Within').fill('60s');
    await form.getByRole('button', { name: 'Add cap' }).click();
    await expect.poll(() => form.getByLabel('Messages').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('Messages').fill('1');
    await form.getByRole('button', { name: 'Add cap' }).click();
    await form.waitFor({ state: 'detached' });

    const row = page.getByRole('row').filter({ hasText: '24h' });
    await row.getByRole('button', { name: 'Change' }).click();
    await form.getByLabel('Messages').fill('5');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const code = { class: 'otp', scope: 'template', count: 1, per: '60s' };
    expect((await readCustomer()).caps).toEqual([{ class: null, scope: 'customer', count: 5, per: '24h' }, code]);

    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog', { name: 'Remove 5 per 24h' }).getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await readCustomer()).caps).toEqual([code]);
    expect(watched.complaints.filter((text) => !/400/.test(text))).toEqual([]);
    await watched.close();
  });

  test('windows are added with their days and time zone, and one that overlaps is refused', async () => {
    const watched = await console.open(path, { role: 'operator' });
    const { page } = watched;
    const form = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add hours' }).click();
    await form.getByLabel('From').fill('8 o’clock');
    await form.getByLabel('To', { exact: false }).first().fill('21:00');
    await form.getByLabel('Time zone').fill('Asia/Nowhere');
    await form.getByRole('button', { name: 'Add hours' }).click();
    await expect.poll(() => form.getByLabel('From').getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => form.getByLabel('Time zone').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('From').fill('08:00');
    await form.getByLabel('Time zone').fill('Asia/Shanghai');
    await form.getByRole('button', { name: 'Add hours' }).click();
    await form.waitFor({ state: 'detached' });
    const window = {
      class: 'promotion',
      from: '08:00',
      to: '21:00',
      time_zone: 'Asia/Shanghai',
      days: [1, 2, 3, 4, 5, 6, 7],
      outside: 'hold',
    };
    expect((await readCustomer()).send_windows).toEqual([window]);
    await page.getByRole('row').filter({ hasText: '08:00' }).getByText('Every day').waitFor();

    await page.getByRole('button', { name: 'Add hours' }).click();
    await form.getByLabel('From').fill('20:00');
    await form.getByLabel('To', { exact: false }).first().fill('22:00');
    await form.getByLabel('Time zone').fill('Asia/Shanghai');
    await form.getByRole('button', { name: 'Add hours' }).click();
    await expect.poll(() => form.getByLabel('From').getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    expect((await readCustomer()).send_windows).toEqual([window]);
    expect(watched.complaints.filter((text) => !/400/.test(text))).toEqual([]);
    await watched.close();
  });

  test('numbers are exempted from caps and no longer, in Chinese too', async () => {
    const watched = await console.open(path, { role: 'operator', locale: 'zh-CN' });
    const { page } = watched;
    const form = page.getByRole('dialog');
    await page.getByRole('button', { name: '添加豁免号码' }).click();
    await form.getByRole('textbox').fill('123');
    await form.getByRole('button', { name: '添加豁免号码' }).click();
    await expect.poll(() => form.getByRole('textbox').getAttribute('aria-invalid')).toBe('true');
    await form.getByRole('textbox').fill('13800139009');
    await form.getByRole('button', { name: '添加豁免号码' }).click();
    await form.waitFor({ state: 'detached' });
    const row = page.getByRole('row').filter({ hasText: '9009' });
    await row.getByRole('button', { name: '移除' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '移除' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await operator.capExemptions(console.demo.customer_no).page()).total).toBe(0);
    expect(watched.complaints.filter((text) => !/400/.test(text))).toEqual([]);
    await watched.close();
  });
});
