// From the invitation of the first operator to the first receipt of a new customer, by what the pages themselves offer.

import { OperatorClient } from '@postrider/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import { type ConsoleService, expectQuiet, startConsoleService, waitUntilSignedIn } from './console-service.js';

const missing = findBrowserMissing();
const PASSWORD = 'seven green boats sleep';

async function acceptInvitation(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await waitUntilSignedIn(page);
}

/** Opens the form behind a button, fills it in by its labels, and sends it. */
async function fillForm(page: Page, button: string, values: Readonly<Record<string, string>>): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  const form = page.getByRole('dialog');
  for (const [label, value] of Object.entries(values)) {
    const field = form.getByLabel(label).first();
    if (await field.evaluate(({ tagName }) => tagName === 'SELECT')) await field.selectOption({ label: value });
    else await field.fill(value);
  }
  await form.getByRole('button', { name: button, exact: true }).click();
  await form.waitFor({ state: 'detached' });
}

describe.skipIf(missing !== undefined)(`a new platform${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  test('is set up by a new operator, and a new customer sends', { timeout: 300_000 }, async () => {
    const root = new OperatorClient(console.operator);
    const ann = await root.createUser({ email: 'ann@example.com', name: 'Ann', role: 'admin' });
    const operator = await console.open('/', { width: 1440 });
    await acceptInvitation(operator.page, ann.invitation_url);
    const open = (name: string) => operator.page.getByRole('link', { name, exact: true }).click();

    await operator.page.getByRole('link', { name: /^Add a carrier/ }).click();
    await fillForm(operator.page, 'Add carrier', { 'Carrier code': 'north', Name: 'North', Prefixes: '4915' });
    await open('Channels');
    await operator.page.getByRole('button', { name: 'Add channel' }).click();
    await operator.page.getByRole('menuitem', { name: 'Simulator' }).click();
    const form = operator.page.getByRole('dialog');
    await form.getByLabel('Name').fill('Trial');
    await form.locator('.mantine-MultiSelect-input').click();
    await operator.page.locator('.mantine-MultiSelect-option', { hasText: 'North' }).click();
    await form.getByRole('button', { name: 'Add Simulator channel' }).click();
    await operator.page.getByRole('link', { name: 'Trial' }).waitFor();

    await open('Customers');
    await operator.page.getByRole('link', { name: 'New customer' }).click();
    const fill = async (section: string, values: Readonly<Record<string, string>>) => {
      const group = operator.page.getByRole('group', { name: section, exact: true });
      for (const [label, value] of Object.entries(values)) await group.getByLabel(label).first().fill(value);
    };
    await fill('Customer', { Name: 'Blue Shop', 'Unit price': '0.05' });
    // Of two channels that are up the form chooses none.
    await operator.page.getByRole('group', { name: 'Channels' }).locator('.mantine-MultiSelect-input').click();
    await operator.page.locator('.mantine-MultiSelect-option', { hasText: 'Trial' }).click();
    await fill('Sender', { Name: 'Main', 'Sender address': '10691234' });
    await fill('First user', { Email: 'bob@example.com', Name: 'Bob' });
    await fill('First top-up', { Amount: '10' });
    await operator.page.getByRole('button', { name: 'Create customer' }).click();
    const link = (await operator.page.getByText(/\/console\/invitations\//).textContent()) ?? '';

    const customer = await console.open('/', { width: 1440 });
    const { page } = customer;
    await acceptInvitation(page, link);
    await page.getByRole('link', { name: 'Submit a template and have it approved' }).click();
    await page.getByRole('button', { name: 'Submit template' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Order');
    await page.getByRole('dialog').getByLabel('Text').fill('Hello {p1}, your order is ready.');
    await page.getByRole('dialog').getByRole('button', { name: 'Submit for review' }).click();
    await page.getByRole('row').filter({ hasText: 'Order' }).getByText('In review').waitFor();
    await page.getByRole('link', { name: 'Compose' }).first().click();
    await page.getByText('Your template is in review').waitFor();

    await open('Platform');
    await operator.page.getByRole('link', { name: '1 template waits for review' }).click();
    await operator.page.getByRole('button', { name: /^Order/ }).click();
    await operator.page.getByRole('button', { name: 'Approve' }).click();
    await operator.page.getByText('Blue Shop can send this text immediately.').waitFor();
    await operator.page.getByRole('button', { name: 'Approve' }).last().click();
    await operator.page.getByText('Nothing to review').waitFor();

    await page.reload();
    await page.getByLabel('Template', { exact: true }).selectOption({ index: 1 });
    await page.getByLabel('Recipients').fill('+4915112345678');
    await page.getByLabel('Value of {p1}').fill('Ann');
    await page.getByRole('button', { name: 'Send to 1 number' }).click();
    await page.getByRole('link', { name: 'View progress' }).click();
    await page.getByText('Completed').first().waitFor();
    await page.getByRole('link', { name: 'Receipts', exact: true }).click();
    await page.getByRole('row').filter({ hasText: '4915112345678' }).getByText('Delivered', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByText('1 of 1 sent').first().waitFor();
    expect(await page.getByText('Get started').count()).toBe(0);

    await open('Margins');
    await operator.page.getByRole('radiogroup', { name: 'Break down by' }).getByText('Customer').click();
    const margin = operator.page.getByRole('row').filter({ hasText: 'Blue Shop' });
    await margin.getByText('0.050000').first().waitFor();
    for (const watched of [operator, customer]) {
      expectQuiet(watched, console.service.url);
      await watched.close();
    }
  });
});
