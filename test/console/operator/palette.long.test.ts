// The palette of both consoles: opened by its keys, searched by words, and left without a trace.

import { OperatorClient } from '@postrider/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { type ConsoleService, expectQuiet, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(
  `the palette of the console${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let console: ConsoleService;
    beforeAll(async () => {
      console = await startConsoleService();
    });
    afterAll(() => console.stop());

    const box = (page: Page) => page.getByRole('combobox', { name: 'Go to or do' });
    const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });

    test('leads an operator by keys alone to pages, actions, customers, channels, tasks and numbers', async () => {
      const { client, demo } = console;
      const held = { template_no: demo.template_no, phones: ['13900001111'], variable_values: ['Ann'] };
      const task = await client.send({ ...held, client_request_id: 'palette-1' });
      const titled = await client.send({ ...held, client_request_id: 'palette-2', title: 'Autumn news' });
      const watched = await console.open('/operator/platform', { role: 'operator' });
      const { page } = watched;
      await page.getByRole('heading', { name: 'Platform' }).waitFor();
      await page.keyboard.press('/');
      await box(page).waitFor();
      expect(await findFaults(page)).toEqual([]);
      await page.keyboard.type('margins');
      await option(page, 'Margins').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/operator\/margins/);
      await box(page).waitFor({ state: 'detached' });
      for (const [text, name, url] of [
        ['new cust', 'New customer', /\/customers\/new$/],
        ['demo', `Demo ${demo.customer_no}`, new RegExp(`/customers/${demo.customer_no}$`)],
        ['top up demo', /^Top up Demo/, /tab=money/],
        [demo.channel_no, new RegExp(`^Demo.*${demo.channel_no}`), new RegExp(`/channels/${demo.channel_no}$`)],
        ['palette-1', /^palette-1/, new RegExp(`/tasks/${task.task_no}$`)],
        ['autumn', /^Autumn news/, new RegExp(`/tasks/${titled.task_no}$`)],
        ['+86 139 0000 1111', 'Look up +86 139 0000 1111', /\/numbers\//],
        ['no such thing', 'Search everything for “no such thing”', /\/search\?q=no\+such\+thing$/],
      ] as const) {
        await page.keyboard.press('Control+k');
        await box(page).fill(text);
        await option(page, name).waitFor();
        while ((await option(page, name).getAttribute('aria-selected')) !== 'true')
          await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.waitForURL(url);
      }
      await page.keyboard.press('Control+k');
      await box(page).fill('add channel');
      await option(page, 'Add channel').click();
      await page.getByRole('menuitem', { name: 'SMPP' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await box(page).waitFor();
      await page.keyboard.press('Escape');
      await box(page).waitFor({ state: 'detached' });
      // Where keys are letters, a slash is one.
      await page.getByRole('search').getByLabel('Search').fill('');
      await page.keyboard.type('/');
      await expect.poll(() => page.getByRole('search').getByLabel('Search').inputValue()).toBe('/');
      expect(await box(page).count()).toBe(0);
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('a number that is only written is not looked up', async () => {
      const operator = new OperatorClient(console.operator);
      const lookups = async () => (await operator.auditLog({ action: 'number.find' }).page()).total;
      const watched = await console.open('/operator/platform', { role: 'operator' });
      const { page } = watched;
      const before = await lookups();
      await page.keyboard.press('Control+k');
      await box(page).fill('13900001112');
      await option(page, 'Look up 13900001112').waitFor();
      await page.keyboard.press('Escape');
      expect(await lookups()).toBe(before);
      await watched.close();
    });

    test('serves a customer too, in Chinese, by the words of either language', async () => {
      const watched = await console.open('/overview', { role: 'customer', locale: 'zh-CN' });
      const { page } = watched;
      await page.getByRole('heading', { name: '概览' }).waitFor();
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: '前往或执行' });
      await field.fill('ledger');
      await option(page, '账本').waitFor();
      expect(await findFaults(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/ledger$/);
      await page.keyboard.press('Control+k');
      await field.fill('palette-1');
      await option(page, /^palette-1/).click();
      await page.waitForURL(/\/tasks\/T/);
      // By a value that was sent, in any case.
      await page.keyboard.press('Control+k');
      await field.fill('ANN');
      await option(page, /^palette-1/).waitFor();
      await field.fill('英文');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Overview' }).waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });
  },
);
