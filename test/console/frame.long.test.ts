// The frame around the pages, in a real browser against a real service.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import {
  type ConsoleService,
  expectQuiet,
  openKeyForm,
  signIn,
  startConsoleService,
  TOKEN,
} from './console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(
  `around an address without a page${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let console: ConsoleService;
    beforeAll(async () => {
      console = await startConsoleService();
    });
    afterAll(() => console.stop());

    test('is nothing for who is not signed in but the way to sign in, and it is said once', async () => {
      const watched = await console.open('/nowhere');
      const { page } = watched;
      await page.getByText('Nothing exists at this address').waitFor();
      await expect.poll(() => page.getByText('Not found').count()).toBe(1);
      expect(await page.getByRole('navigation').count()).toBe(0);
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('button', { name: 'Use an API key' }).waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('stands the frame of the operator, by name, who finds the way back', async () => {
      const watched = await console.open('/operator/platform');
      const { page } = watched;
      const session = JSON.stringify(JSON.stringify({ operator: { token: TOKEN } }));
      await page.evaluate(`sessionStorage.setItem('postrider.session', ${session})`);
      for (const path of ['/operator/nowhere', '/nowhere']) {
        await page.goto(`${console.service.url}/console${path}`);
        await page.getByRole('button', { name: 'Signed in as root' }).waitFor();
        await page.getByRole('link', { name: 'Customers' }).waitFor();
      }
      await page.getByRole('main').getByRole('link', { name: 'Platform' }).click();
      await page.getByRole('heading', { name: 'Platform' }).waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('stands the frame of a customer, also among the addresses of operators', async () => {
      const watched = await console.open('/overview');
      const { page } = watched;
      await openKeyForm(page);
      await page.getByRole('checkbox').check();
      await signIn(page, 'customer', console.demo);
      await page.goto(`${console.service.url}/console/operator/nowhere`);
      await page.getByRole('button', { name: `Signed in as ${console.demo.api_key}` }).waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });
  },
);
