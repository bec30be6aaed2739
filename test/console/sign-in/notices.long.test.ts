// The notices that people choose to get by email: the card under "Sign-in and security", on both sides.

import { OperatorClient } from '@postrider/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { type ConsoleService, expectQuiet, startConsoleService, waitUntilSignedIn } from '../console-service.js';

const missing = findBrowserMissing();
const PASSWORD = 'purple tractors hum at noon';

describe.skipIf(missing !== undefined)(`choosing notices${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  let root: OperatorClient;
  beforeAll(async () => {
    console = await startConsoleService();
    root = new OperatorClient(console.operator);
  });
  afterAll(() => console.stop());

  /** As who was just invited, on the page that has the card. */
  async function openSecurity(invitation: string | null, path: string) {
    const watched = await console.open('/');
    await watched.page.goto(invitation ?? '');
    await watched.page.getByLabel('New password').fill(PASSWORD);
    await watched.page.keyboard.press('Enter');
    await waitUntilSignedIn(watched.page);
    await watched.page.goto(`${console.service.url}/console${path}`);
    await watched.page.getByRole('heading', { name: 'Email notices' }).waitFor();
    return watched;
  }

  async function readTopics(email: string): Promise<unknown> {
    const [row] = await console.sql`select notice_topics from console_user where email = ${email}`;
    return row?.notice_topics;
  }

  const box = (page: Page, name: string) => page.getByRole('checkbox', { name });
  const balance = 'The balance falls below its alert mark';
  const review = 'A template was reviewed';
  const digest = /^Daily digest/;

  test('a user of a customer chooses, and finds the choice at the next visit', async () => {
    const email = 'ann@example.com';
    const { customer_no: customerNo } = console.demo;
    const invited = await root.createCustomerUser(customerNo, { email, name: 'Ann', role: 'admin' });
    const watched = await openSecurity(invited.invitation_url, '/security');
    const { page } = watched;
    await page.getByText('This service has no mail server yet. Ask the platform.').waitFor();
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(4);
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0);
    await box(page, balance).click();
    await expect.poll(() => readTopics(email)).toEqual(['balance']);
    await box(page, review).click();
    await expect.poll(() => readTopics(email)).toEqual(['balance', 'reviews']);
    expect(await findFaults(page)).toEqual([]);
    await page.reload();
    await page.getByRole('checkbox', { name: balance, checked: true }).waitFor();
    await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(2);
    await box(page, balance).click();
    await expect.poll(() => readTopics(email)).toEqual(['reviews']);
    await page.getByRole('checkbox', { name: balance, checked: false }).waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('a viewer is offered nothing about money and webhooks', async () => {
    const { customer_no: customerNo } = console.demo;
    const fields = { email: 'viewer@example.com', name: 'Vera', role: 'viewer' } as const;
    const watched = await openSecurity((await root.createCustomerUser(customerNo, fields)).invitation_url, '/security');
    await box(watched.page, review).waitFor();
    await expect.poll(() => watched.page.getByRole('checkbox').count()).toBe(1);
    await watched.close();
  });

  test('an operator chooses the daily digest', async () => {
    const email = 'olga@example.com';
    const invited = await root.createUser({ email, name: 'Olga', role: 'support' });
    const watched = await openSecurity(invited.invitation_url, '/operator/security');
    const { page } = watched;
    await page.getByText('Set POSTRIDER_SMTP_URL').waitFor();
    await page.getByRole('checkbox', { name: digest, checked: false }).click();
    await expect.poll(() => readTopics(email)).toEqual(['digest']);
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(1);
    expect(await findFaults(page)).toEqual([]);
    await page.reload();
    await page.getByRole('checkbox', { name: digest, checked: true }).waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});
