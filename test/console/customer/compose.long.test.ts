// Composing a send: nothing is guessed, refused numbers are explained at once, and what costs much is confirmed.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { type ConsoleService, chooseTemplate, expectQuiet, signIn, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`composing${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  test('refused numbers are explained at once, and corrected with a press', { timeout: 120_000 }, async () => {
    const watched = await console.open('/compose', { role: 'customer' });
    const { page } = watched;
    await chooseTemplate(page, console.demo);
    await page.getByLabel('Value of {p1}').fill('Ann');
    await page.getByLabel('Recipients').fill('13800139001\n4915112345678\n447911123456\n123');
    const refused = page.getByRole('list', { name: '3 will be rejected' });
    await refused.getByText('Row 4: 123 · The phone is not a valid number.').waitFor();
    await refused.getByRole('button', { name: 'Use +4915112345678' }).click();
    await expect.poll(() => page.getByLabel('Recipients').inputValue()).toContain('\n+4915112345678\n447911123456');
    await page.getByRole('list', { name: '2 will be rejected' }).waitFor();
    await page.getByLabel('Recipients').fill('4915112345678\n447911123456');
    await page.getByRole('button', { name: 'Use all 2 suggestions' }).click();
    await expect.poll(() => page.getByLabel('Recipients').inputValue()).toBe('+4915112345678\n+447911123456');
    await page.getByText('will be rejected').waitFor({ state: 'detached' });
    expectQuiet(watched, console.service.url);
    await watched.close();

    const chinese = await console.open('/compose', { role: 'customer', locale: 'zh-CN' });
    await chooseTemplate(chinese.page, console.demo);
    await chinese.page.getByLabel('{p1} 的值').fill('Ann');
    await chinese.page.getByLabel('收件人').fill('4915112345678');
    await chinese.page.getByRole('list', { name: '1 个将被拒绝' }).getByText('不是有效的号码').waitFor();
    await chinese.page.getByRole('button', { name: '改为 +4915112345678' }).waitFor();
    await chinese.close();
  });

  test('no template is chosen but the last that was sent from here', { timeout: 120_000 }, async () => {
    const watched = await console.open('/compose', { role: 'customer' });
    const { page } = watched;
    const template = page.getByLabel('Template', { exact: true });
    await expect.poll(() => template.inputValue()).toBe('');
    await chooseTemplate(page, console.demo);
    await page.getByLabel('Recipients').fill('13800139001');
    await page.getByLabel('Value of {p1}').fill('Ann');
    await page.getByRole('button', { name: 'Send to 1 number' }).click();
    await page.getByText('Accepted as 1 task.').waitFor();
    await page.reload();
    await signIn(page, 'customer', console.demo);
    await page.getByRole('heading', { name: 'Compose' }).waitFor();
    await expect.poll(() => template.inputValue()).toBe(console.demo.template_no);
    await watched.close();
  });

  test('one number is confirmed where it costs more than the user has set', { timeout: 120_000 }, async () => {
    const watched = await console.open('/compose', { role: 'customer' });
    const { page } = watched;
    await chooseTemplate(page, console.demo);
    await page.getByLabel('Recipients').fill('13800139001');
    await page.getByLabel('Value of {p1}').fill('Bob');
    await page.getByRole('textbox', { name: 'Reference' }).fill('over the sum');
    const sum = page.getByLabel('Confirm sends over (CNY)');
    await sum.fill('a lot');
    await page.getByText('Enter an amount such as 5 or 0.50.').waitFor();
    await sum.fill('0.04');
    await page.getByRole('button', { name: 'Send to 1 number' }).click();
    const question = page.getByRole('dialog', { name: 'Send to 1 number' });
    await question.getByText('1 message for 0.05 CNY in total.').waitFor();
    await question.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Accepted as 1 task.').waitFor();
    // What was set stays in this browser.
    await page.reload();
    await signIn(page, 'customer', console.demo);
    await expect.poll(() => page.getByLabel('Confirm sends over').inputValue()).toBe('0.04');
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});
