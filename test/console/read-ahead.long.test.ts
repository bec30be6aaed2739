// A page of the menu is read while its link is pointed at: whoever presses it then sees it whole, and sees it drawn once.

import type { Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import { type ConsoleService, expectQuiet, startConsoleService } from './console-service.js';

const missing = findBrowserMissing();

/** Counts what stands in for data that are still awaited. */
const WATCH_STAND_INS = `
  window.standIns = 0;
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (node.matches?.('.mantine-Skeleton-root') || node.querySelector?.('.mantine-Skeleton-root')) window.standIns += 1;
      }
    }
  }).observe(document, { childList: true, subtree: true });`;

const month = new Date().toISOString().slice(0, 7);

/** Where to point, and the last call that is made then. */
const PAGES = {
  customer: {
    '/compose': 'openapi.json',
    '/tasks': '/messages/tasks/',
    '/batches': '/batches/',
    '/receipts': '/messages/receipts/',
    '/opt-outs': '/opt-outs/',
    '/templates': '/templates/',
    '/ledger': '/finance/ledgers/',
    [`/statements/${month}`]: `/statements/${month}/`,
    '/overview': '/messages/statistics/',
  },
  operator: {
    '/operator/customers': '/customers',
    '/operator/tasks': '/tasks',
    '/operator/channels': '/channels',
    '/operator/firms': '/firms',
    '/operator/blocked-words': '/blocked-words',
    '/operator/reviews': '/reviews',
    '/operator/unknown': '/unknown',
    '/operator/set-aside': '/set-aside',
    '/operator/replies': '/unclaimed-uplinks',
    '/operator/reports': '/kept-reports',
    '/operator/held-channels': '/recovery',
    '/operator/erasures': '/erasures',
    '/operator/retention': '/retention',
    '/operator/audit': '/audit',
    '/operator/operators': '/operators',
    // The steps of a first setup are read one after the other; templates are the last.
    '/operator/platform': '/templates',
  },
} as const;

describe.skipIf(missing !== undefined)(`the menu${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  for (const role of ['customer', 'operator'] as const) {
    test(`of ${role === 'customer' ? 'a customer' : 'an operator'} leads to pages that are there`, async () => {
      const watched = await console.open(role === 'customer' ? '/numbers' : '/operator/numbers', { role });
      const { page } = watched;
      const underWay = new Set<Request>();
      page.on('request', (request) => underWay.add(request));
      page.on('requestfinished', (request) => underWay.delete(request));
      page.on('requestfailed', (request) => underWay.delete(request));
      await page.evaluate(WATCH_STAND_INS);
      for (const [path, call] of Object.entries(PAGES[role])) {
        const link = page.locator(`nav a[href="/console${path}"]`);
        // Of the page's data: the file of its code may have the same word in its name.
        const answered = page.waitForResponse(
          (response) => response.request().resourceType() === 'fetch' && response.url().includes(call),
        );
        await link.hover();
        await answered;
        await expect.poll(() => underWay.size).toBe(0);
        await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
        const before = await page.getByRole('heading', { level: 1 }).textContent();
        await link.click();
        await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).not.toBe(before);
        expect(await page.evaluate('window.standIns'), path).toBe(0);
      }
      expectQuiet(watched, console.service.url);
    });
  }
});
