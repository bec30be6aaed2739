// People in the console, in a real browser: from an invitation to the first sign-in, sessions, and managing users.

import { OperatorClient } from '@postrider/client';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { computeCode } from '../../../src/http/auth/second-factor/totp.js';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { fromBase32 } from '../../support/sign-in/base32.js';
import { type ConsoleService, expectQuiet, startConsoleService, waitUntilSignedIn } from '../console-service.js';

const missing = findBrowserMissing();
const PASSWORD = 'purple tractors hum at noon';

async function signInWithPassword(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const sessionCookies = async (context: BrowserContext) =>
  (await context.cookies()).filter(({ name }) => /^postrider_(customer|operator)$/.test(name));

describe.skipIf(missing !== undefined)(`users in the console${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  let root: OperatorClient;
  beforeAll(async () => {
    console = await startConsoleService();
    root = new OperatorClient(console.operator);
  });
  afterAll(() => console.stop());

  async function invite(email: string, role: 'admin' | 'viewer' = 'admin') {
    return root.createCustomerUser(console.demo.customer_no, { email, name: 'Ann', role });
  }

  test('an operator is invited, chooses a password, signs out and signs in with it', { timeout: 180_000 }, async () => {
    const inviting = await console.open('/operator/users', { role: 'operator' });
    await inviting.page.getByRole('button', { name: 'Invite user' }).click();
    const form = inviting.page.getByRole('dialog');
    await form.getByLabel('Email').fill('olga@example.com');
    await form.getByLabel('Name').fill('Olga');
    await form.getByLabel('Role').selectOption('support');
    await form.getByRole('button', { name: 'Invite user' }).click();
    await inviting.page.getByText('Invitation link for Olga').waitFor();
    expect(await findFaults(inviting.page)).toEqual([]);
    const link = await inviting.page.getByText(/\/console\/invitations\//).textContent();
    expectQuiet(inviting, console.service.url);
    await inviting.close();

    const watched = await console.open('/');
    const { page } = watched;
    await page.goto(link ?? '');
    await page.getByText('Welcome, Olga.').waitFor();
    await expect.poll(() => page.getByLabel('Email').inputValue()).toBe('olga@example.com');
    expect(await findFaults(page)).toEqual([]);
    await page.getByLabel('New password').fill('password1234');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await waitUntilSignedIn(page);
    expect(new URL(page.url()).pathname).toBe('/console/operator/platform');
    const [cookie] = await sessionCookies(page.context());
    expect(cookie).toMatchObject({ name: 'postrider_operator', httpOnly: true, sameSite: 'Strict' });
    const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])');
    expect(kept).not.toContain(cookie?.value);

    await page.getByRole('button', { name: /^Signed in as olga/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Use an operator token' }).waitFor();
    expect(await sessionCookies(page.context())).toEqual([]);
    await page.goto(`${console.service.url}/console/operator/channels`);
    await signInWithPassword(page, 'olga@example.com', 'not the password');
    await page.getByRole('alert').waitFor();
    await signInWithPassword(page, 'olga@example.com', PASSWORD);
    await waitUntilSignedIn(page);
    expect(new URL(page.url()).pathname).toBe('/console/operator/channels');
    expect(watched.complaints.filter((text) => !/ (400|401) /.test(text))).toEqual([]);

    // The link was used up.
    await page.goto(link ?? '');
    await page.getByText('This link can no longer be used').waitFor();
    await watched.close();
  });

  test('a session goes on in other tabs and after a reload, and ends in all of them', {
    timeout: 180_000,
  }, async () => {
    const { invitation_url: link } = await invite('tabs@example.com');
    const watched = await console.open('/');
    const { page } = watched;
    await page.goto(link ?? '');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await waitUntilSignedIn(page);
    const second = await page.context().newPage();
    await second.goto(`${console.service.url}/console/tasks`);
    await waitUntilSignedIn(second);
    await page.reload();
    await waitUntilSignedIn(page);
    await page.getByRole('button', { name: /^Signed in as/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Use an API key' }).waitFor();
    await second.getByRole('button', { name: 'Use an API key' }).waitFor();
    await watched.close();
  });

  test('a user sees their sessions, ends one, and signs out everywhere', { timeout: 180_000 }, async () => {
    const { invitation_url: link } = await invite('sessions@example.com');
    const watched = await console.open('/');
    const { page } = watched;
    await page.goto(link ?? '');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await waitUntilSignedIn(page);
    const other = await console.open('/overview');
    await signInWithPassword(other.page, 'sessions@example.com', PASSWORD);
    await waitUntilSignedIn(other.page);

    await page.getByRole('button', { name: /^Signed in as sessions/ }).click();
    await page.getByRole('menuitem', { name: 'Sign-in and security' }).click();
    const table = page.getByRole('table');
    await expect.poll(() => table.getByRole('button', { name: 'Sign out' }).count()).toBe(2);
    expect(await findFaults(page)).toEqual([]);
    const row = table.getByRole('row').filter({ hasNotText: 'this one' }).filter({ hasText: 'Chrome' });
    await row.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => table.getByRole('button', { name: 'Sign out' }).count()).toBe(1);
    await other.page.getByText('Sign in again.').waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('button', { name: 'Use an API key' }).waitFor();
    expect(await sessionCookies(page.context())).toEqual([]);
    await other.close();
    await watched.close();
  });

  test('an authenticator app is set up, and the next sign-in asks for its code', { timeout: 180_000 }, async () => {
    const { invitation_url: link } = await invite('totp@example.com');
    const watched = await console.open('/');
    const { page } = watched;
    await page.goto(link);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await waitUntilSignedIn(page);
    await page.goto(`${console.service.url}/console/security`);
    await page.getByRole('button', { name: 'Set up authenticator app' }).click();
    await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    const secret = fromBase32(
      (await page
        .getByRole('dialog')
        .getByText(/^[A-Z2-7]{32}$/)
        .textContent()) ?? '',
    );
    await page
      .getByRole('dialog')
      .getByRole('textbox', { name: 'Code' })
      .fill(computeCode(secret, Math.floor(Date.now() / 30_000)));
    await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('Recovery codes. Copy them now.').waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('button', { name: /^Signed in as totp/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signInWithPassword(page, 'totp@example.com', PASSWORD);
    await page.getByLabel('Code').waitFor();
    expect(await findFaults(page)).toEqual([]);
    // That of the next step: each works once, and a clock may be one step ahead.
    await page.getByLabel('Code').fill(computeCode(secret, Math.floor(Date.now() / 30_000) + 1));
    await page.getByRole('button', { name: 'Verify' }).click();
    await waitUntilSignedIn(page);
    expect(new URL(page.url()).pathname).toBe('/console/security');
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('a viewer is not asked for what the role may not see', { timeout: 120_000 }, async () => {
    const { invitation_url: link } = await invite('vera@example.com', 'viewer');
    const watched = await console.open('/');
    const { page } = watched;
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    await page.goto(link);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await waitUntilSignedIn(page);
    await page.getByRole('heading', { name: 'Latency from send to receipt' }).waitFor();
    await page.getByRole('link', { name: 'Tasks', exact: true }).waitFor();
    for (const name of ['Compose', 'Ledger', 'Statements', 'Users']) {
      expect(await page.getByRole('link', { name, exact: true }).count(), name).toBe(0);
    }
    expect(await page.getByText('Available').count()).toBe(0);
    await page.goto(`${console.service.url}/console/numbers/13800139001`);
    await page.getByRole('heading', { name: /139001/ }).waitFor();
    expect(refused).toEqual([]);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('an admin changes a role, disables and removes a user, and is asked each time', {
    timeout: 180_000,
  }, async () => {
    const ben = await invite('ben@example.com', 'viewer');
    const watched = await console.open('/tasks');
    const { page } = watched;
    await page.goto(console.service.signInLinks?.customer ?? '');
    await waitUntilSignedIn(page);
    await page.goto(`${console.service.url}/console/users`);
    const row = page.getByRole('row').filter({ hasText: 'ben@example.com' });
    const find = async () => (await root.customerUsers(console.demo.customer_no).page()).items;
    const readBen = async () => (await find()).find(({ user_no: no }) => no === ben.user_no);
    expect(await findFaults(page)).toEqual([]);
    await row.getByRole('combobox').selectOption('sender');
    await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
    expect((await readBen())?.role).toBe('viewer');
    await row.getByRole('combobox').selectOption('sender');
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
    await expect.poll(async () => (await readBen())?.role).toBe('sender');
    for (const [action, expected] of [
      ['Disable', 'disabled'],
      ['Enable', 'active'],
      ['Remove', undefined],
    ] as const) {
      await row.getByRole('button', { name: 'Manage Ann' }).click();
      await page.getByRole('menuitem', { name: action }).click();
      await page.getByRole('dialog').getByRole('button', { name: action }).click();
      await expect.poll(async () => (await readBen())?.status).toBe(expected);
    }
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});
