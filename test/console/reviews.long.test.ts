// A customer submits a template, an operator reviews it, and both see what came of it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing, type WatchedPage } from '../support/browser.js';
import { type ConsoleService, expectQuiet, startConsoleService } from './console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`reviews${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  const templateOf = async (name: string) => {
    for await (const template of console.client.templates()) if (template.name === name) return template;
    return expect.fail(`no template ${name}`);
  };

  test('a template is submitted, rejected with a comment, changed and approved', async () => {
    // A reload would sign out: each look is a page of its own.
    const watched: WatchedPage[] = [];
    const open = async (path: string, role: 'customer' | 'operator') => {
      const next = await console.open(path, { role });
      watched.push(next);
      return next.page;
    };
    const submit = await open('/templates', 'customer');
    await submit.getByRole('button', { name: 'Submit template' }).click();
    await submit.getByRole('textbox', { name: /^Name/ }).fill('Shipped');
    await submit.getByRole('textbox', { name: /^Text/ }).fill('Your order {p1} is on its way.');
    await submit.getByRole('button', { name: 'Submit for review' }).click();
    await submit.getByRole('row').filter({ hasText: 'Shipped' }).getByText('In review').waitFor();
    expect(await templateOf('Shipped')).toMatchObject({ status: 'pending', class: 'notice' });

    const platform = await open('/operator/platform', 'operator');
    await platform.getByRole('link', { name: '1 template waits for review' }).waitFor();

    const reject = await open('/operator/reviews', 'operator');
    await reject.getByRole('button', { name: /^Shipped/ }).click();
    await reject.getByText('Your order value of p1 is on its way.').last().waitFor();
    await reject.getByRole('button', { name: 'Reject' }).click();
    await reject.getByRole('textbox', { name: /^Review comment/ }).fill('Name your shop.');
    await reject.getByRole('button', { name: 'Reject' }).last().click();
    await reject.getByText('Nothing to review').waitFor();

    const change = await open('/templates', 'customer');
    await change.getByRole('row').filter({ hasText: 'Name your shop.' }).getByText('Rejected').waitFor();
    await change.getByRole('button', { name: /^Shipped/ }).click();
    await change.getByRole('button', { name: 'Edit text' }).click();
    await change.getByRole('textbox', { name: /^Text/ }).fill('Acme: your order {p1} is on its way.');
    await change.getByRole('button', { name: 'Submit for review' }).click();
    await expect.poll(async () => (await templateOf('Shipped')).status).toBe('pending');

    const approve = await open('/operator/reviews', 'operator');
    await approve.getByRole('button', { name: /^Shipped/ }).click();
    await approve.getByText('Name your shop.').waitFor();
    await approve.getByRole('button', { name: 'Approve' }).click();
    // It asks once.
    await approve.getByText('Demo can send this text immediately.').waitFor();
    expect((await templateOf('Shipped')).status).toBe('pending');
    await approve.getByRole('button', { name: 'Approve' }).last().click();
    await approve.getByText('Nothing to review').waitFor();
    expect(await templateOf('Shipped')).toMatchObject({ status: 'active', revision: 2, reason: null });
    for (const one of watched) expectQuiet(one, console.service.url);
  }, 180_000);

  test('words are blocked and allowed again', async () => {
    const watched = await console.open('/operator/blocked-words', { role: 'operator' });
    const { page } = watched;
    await page.getByRole('button', { name: 'Block words' }).click();
    await page.getByRole('textbox', { name: 'Words' }).fill('lottery, 中奖');
    await page.getByRole('button', { name: 'Block words' }).last().click();
    await page.getByRole('row').filter({ hasText: 'lottery, 中奖' }).getByText('All customers').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No blocked words').waitFor();
    expectQuiet(watched, console.service.url);
  });
});
