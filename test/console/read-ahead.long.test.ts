// A page of the menu is read while its link is pointed at: a press then shows it whole, drawn once.

import type { Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import { until } from '../support/until.js';
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

/** Where to point, one after the other. */
const PAGES = {
  customer: [
    '/compose',
    '/tasks',
    '/batches',
    '/receipts',
    '/opt-outs',
    '/templates',
    '/ledger',
    `/statements/${month}`,
    '/overview',
  ],
  operator: [
    '/operator/customers',
    '/operator/tasks',
    '/operator/channels',
    '/operator/firms',
    '/operator/blocked-words',
    '/operator/reviews',
    '/operator/unknown',
    '/operator/set-aside',
    '/operator/replies',
    '/operator/reports',
    '/operator/held-channels',
    '/operator/erasures',
    '/operator/retention',
    '/operator/audit',
    '/operator/operators',
    '/operator/platform',
  ],
} as const;

/** Some pages make their calls one after the other: so long without a call, the last one was made. */
const REST_MS = 1000;

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
      let movedAt = 0;
      const move = (change: (request: Request) => unknown) => (request: Request) => {
        change(request);
        movedAt = performance.now();
      };
      page.on(
        'request',
        move((request) => underWay.add(request)),
      );
      page.on(
        'requestfinished',
        move((request) => underWay.delete(request)),
      );
      page.on(
        'requestfailed',
        move((request) => underWay.delete(request)),
      );
      await page.evaluate(WATCH_STAND_INS);
      for (const path of PAGES[role]) {
        const link = page.locator(`nav a[href="/console${path}"]`);
        await link.hover();
        movedAt = performance.now();
        const rests = () => underWay.size === 0 && performance.now() - movedAt > REST_MS;
        await until(`the calls of ${path} are answered`, rests);
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
