// Nothing jumps while data arrive: the browser counts how far what is already there is moved by what comes later.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import { type ConsoleService, startConsoleService, TOKEN } from './console-service.js';

const missing = findBrowserMissing();

/** Of the browser's own measure, in which 0.1 is what people begin to mind: less than a line that comes in above all others. */
const MOST_SHIFT = 0.02;
/** Answers come one after the other, so that every state in between is drawn. */
const FIRST_DELAY_MS = 60;
const DELAY_STEP_MS = 70;
const DELAYS = 5;

/** Sums up what is moved without a hand of the user, from the first drawing on. */
const WATCH_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (!hadRecentInput) window.shifts.push({ value, moved: sources.map(({ node }) => node?.className ?? '') });
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

interface Shift {
  readonly value: number;
  readonly moved: readonly string[];
}

describe.skipIf(missing !== undefined)(`the pages stand still${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  const taskNos: string[] = [];
  beforeAll(async () => {
    console = await startConsoleService();
    const { client, demo } = console;
    const request = { template_no: demo.template_no, variable_values: ['Ann'], auto_freeze: true, auto_submit: true };
    const fates = ['13800139001', '13800139002', '13800139003', '13800139005', '13800139008', 'nonsense'];
    const { task_no: taskNo } = await client.send({ ...request, phones: fates, batch_id: 'fates' });
    const rest = Array.from({ length: 30 }, (_, at) => client.send({ ...request, phones: [`139000000${10 + at}`] }));
    await Promise.all(rest);
    taskNos.push(taskNo);
    await client.waitForTask(taskNo, { until: ({ stage }) => stage === 'submit_unknown' });
  });
  afterAll(() => console.stop());

  /** Opens pages one by one, each anew and with slow answers, and tells what was moved too far on which. */
  async function findJumps(paths: readonly string[], width: number): Promise<string[]> {
    const watched = await console.open('/nowhere', { width });
    const { page } = watched;
    const { api_key: apiKey, api_secret: apiSecret } = console.demo;
    const session = JSON.stringify({ customer: { apiKey, apiSecret }, operator: { token: TOKEN } });
    await page.addInitScript(`sessionStorage.setItem('postrider.session', ${JSON.stringify(session)});${WATCH_SHIFTS}`);
    const answers = await slowDown(page);
    const jumps: string[] = [];
    for (const path of paths) {
      await page.goto(`${console.service.url}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const isThere = async () => (await page.locator('.mantine-Skeleton-root').count()) === 0 && answers.open === 0;
      await expect.poll(isThere, { timeout: 60_000, message: path }).toBe(true);
      const shifts = (await page.evaluate('window.shifts')) as Shift[];
      const sum = shifts.reduce((total, { value }) => total + value, 0);
      if (sum > MOST_SHIFT) jumps.push(`${path} at ${width}: ${sum.toFixed(3)} ${JSON.stringify(shifts)}`);
    }
    await watched.close();
    return jumps;
  }

  async function slowDown(page: Page): Promise<{ readonly open: number }> {
    const answers = { open: 0 };
    let count = 0;
    await page.route(/\/(openapi|operator)\/v1\//, async (route) => {
      answers.open += 1;
      const delayMs = FIRST_DELAY_MS + (count++ % DELAYS) * DELAY_STEP_MS;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      // A page that was left has no use for it.
      await route.continue().catch(() => {});
      answers.open -= 1;
    });
    return answers;
  }

  for (const width of [1280, 390]) {
    test(`of a customer, ${width} pixels wide`, { timeout: 120_000 }, async () => {
      const paths = [
        '/overview',
        '/compose',
        '/tasks',
        `/tasks/${taskNos[0]}`,
        '/batches/fates',
        '/receipts',
        '/numbers/13800139008',
        '/replies',
        '/ledger',
        `/statements/${new Date().toISOString().slice(0, 7)}`,
        '/developers',
        '/developers?tab=webhooks',
      ];
      expect(await findJumps(paths, width)).toEqual([]);
    });

    test(`of an operator, ${width} pixels wide`, { timeout: 120_000 }, async () => {
      const { customer_no: customerNo, channel_no: channelNo } = console.demo;
      const paths = [
        '/operator/platform',
        `/operator/customers/${customerNo}`,
        `/operator/customers/${customerNo}?tab=sending`,
        `/operator/customers/${customerNo}?tab=money`,
        '/operator/tasks',
        `/operator/tasks/${taskNos[0]}`,
        '/operator/numbers/13800139001',
        '/operator/channels',
        `/operator/channels/${channelNo}`,
        `/operator/channels/${channelNo}/failures?event=refused&code=REFUSED`,
        '/operator/unknown',
        '/operator/set-aside',
        '/operator/audit',
      ];
      expect(await findJumps(paths, width)).toEqual([]);
    });
  }
});
