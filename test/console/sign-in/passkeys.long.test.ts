// Passkeys in a real browser, with an authenticator that the browser simulates.

import { OperatorClient } from '@postrider/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findViolations } from '../../support/find-faults.js';
import { type ConsoleService, startConsoleService, waitUntilSignedIn } from '../console-service.js';

const missing = findBrowserMissing();
const PASSWORD = 'purple tractors hum at noon';

async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setVerified: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

describe.skipIf(missing !== undefined)(`passkeys in the console${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  let root: OperatorClient;
  /** The demo has no public address: its passkeys are those of localhost. */
  let url: string;
  beforeAll(async () => {
    console = await startConsoleService();
    root = new OperatorClient(console.operator);
    url = `http://localhost:${new URL(console.service.url).port}`;
  });
  afterAll(() => console.stop());

  test.each(['customer', 'operator'] as const)(
    'a user of the %s side adds one, signs in with it, and removes it',
    {
      timeout: 240_000,
    },
    async (side) => {
      const person = { email: `${side}@example.com`, name: 'Pat' };
      const { invitation_url: link } =
        side === 'customer'
          ? await root.createCustomerUser(console.demo.customer_no, { ...person, role: 'viewer' })
          : await root.createUser({ ...person, role: 'viewer' });
      const watched = await console.open('/');
      const { page } = watched;
      const authenticator = await addAuthenticator(page);
      await page.goto(url + new URL(link).pathname);
      await page.getByLabel('New password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await waitUntilSignedIn(page);
      const securityPage = `${url}/console${side === 'customer' ? '' : '/operator'}/security`;
      await page.goto(securityPage);
      await page.getByRole('button', { name: 'Add passkey' }).click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Name').fill('Work laptop');
      await form.getByLabel('Password').fill(PASSWORD);
      await form.getByRole('button', { name: 'Continue' }).click();
      const row = page.getByRole('row').filter({ hasText: 'Work laptop' });
      await row.getByText('Never').waitFor();
      expect(await findViolations(page)).toEqual([]);

      await signOut(page);
      await page.getByRole('button', { name: 'Continue with a passkey' }).click();
      await waitUntilSignedIn(page);
      await page.goto(securityPage);
      await page.getByRole('row').filter({ hasText: 'this one' }).getByText('Passkey').waitFor();
      expect(await row.getByText('Never').count()).toBe(0);

      // The password alone is not enough any more, and neither is a person whom the device does not recognise.
      await signOut(page);
      await page.getByLabel('Email').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('Confirm with your passkey.').waitFor();
      expect(await findViolations(page)).toEqual([]);
      await authenticator.setVerified(false);
      await page.getByRole('button', { name: 'Continue with a passkey' }).click();
      await page.getByRole('alert').waitFor();
      await authenticator.setVerified(true);
      await page.getByRole('button', { name: 'Continue with a passkey' }).click();
      await waitUntilSignedIn(page);

      await page.goto(securityPage);
      await row.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD);
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await row.waitFor({ state: 'detached' });
      // The overview asks for money, which a viewer of a customer may not see.
      expect(watched.complaints.filter((text) => !/ 403 /.test(text))).toEqual([]);
      await watched.close();
    },
  );
});
