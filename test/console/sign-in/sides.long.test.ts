// Which side a person belongs to is for the service to find out; keys and tokens are behind a link.

import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { createVisitor } from '../../support/sign-in/visitor.js';
import { type ConsoleService, openKeyForm, startConsoleService, waitUntilSignedIn } from '../console-service.js';

const missing = findBrowserMissing();
const PASSWORD = 'purple tractors hum at noon';

describe.skipIf(missing !== undefined)(`the sides${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
    const root = new OperatorClient(console.operator);
    const person = { email: 'carla@example.com', name: 'Carla', role: 'viewer' } as const;
    const { invitation_url: link } = await root.createCustomerUser(console.demo.customer_no, person);
    await createVisitor(console.service.url).accept(link, PASSWORD);
  });
  afterAll(() => console.stop());

  test('who chooses the wrong one is led to the right one', { timeout: 120_000 }, async () => {
    const watched = await console.open('/operator/channels');
    const { page } = watched;
    await page.getByText('Customer', { exact: true }).click();
    await page.getByText('Operator', { exact: true }).click();
    expect(await page.getByLabel('Operator token').count()).toBe(0);
    expect(await findFaults(page)).toEqual([]);
    await page.getByLabel('Email').fill('carla@example.com');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await waitUntilSignedIn(page);
    expect(new URL(page.url()).pathname).toBe('/console/overview');

    // The pages of the other side say where they belong.
    await page.goto(`${console.service.url}/console/operator/channels`);
    await page.getByText('You are signed in as a customer.').waitFor();
    await page.getByRole('link', { name: 'Switch to customer console' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await watched.close();
  });

  test('keys and tokens are behind a link, in both languages', { timeout: 120_000 }, async () => {
    for (const locale of ['en-GB', 'zh-CN']) {
      const watched = await console.open('/overview', { locale });
      const { page } = watched;
      await page.getByRole('button', { name: /^(Sign in|登录)$/ }).waitFor();
      expect(await page.getByLabel('API key').count()).toBe(0);
      await openKeyForm(page);
      await page.getByLabel('API key').fill(console.demo.api_key);
      await page.getByLabel('API secret').fill(console.demo.api_secret);
      expect(await findFaults(page)).toEqual([]);
      await page.getByRole('button', { name: /^(Sign in|登录)$/ }).click();
      await waitUntilSignedIn(page);
      await watched.close();
    }
  });
});
