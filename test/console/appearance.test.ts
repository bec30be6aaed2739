// Every page as it looks: accessible, in both languages, light and dark, and as wide as the screen and no wider.

import AxeBuilder from '@axe-core/playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing, type WatchedPage } from '../support/browser.js';
import { type ConsoleService, expectQuiet, startConsoleService, TOKEN } from './console-service.js';

const missing = findBrowserMissing();

const LOOKS = [
  { name: 'wide, light, English', width: 1280, colorScheme: 'light', locale: 'en-GB' },
  { name: 'narrow, dark, Chinese', width: 390, colorScheme: 'dark', locale: 'zh-CN' },
] as const;

const CUSTOMER_PAGES = [
  '/overview',
  '/compose',
  '/tasks',
  '/batches',
  '/numbers/13800139008',
  '/replies',
  '/ledger',
  '/statements/2026-11',
  '/developers',
  '/developers?tab=webhooks',
  '/nowhere',
];

const OPERATOR_PAGES = [
  '/operator/platform',
  '/operator/customers',
  '/operator/channels',
  '/operator/firms',
  '/operator/unknown',
  '/operator/replies',
  '/operator/reports',
  '/operator/audit',
  '/operator/operators',
];

describe.skipIf(missing !== undefined)(`the pages${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  const taskNos: string[] = [];
  beforeAll(async () => {
    console = await startConsoleService();
    const { client, demo } = console;
    const phones = ['13800139001', '13800139002', '13800139003', '13800139005', '13800139008', 'nonsense'];
    const request = { template_no: demo.template_no, variable_values: ['Ann'], auto_freeze: true, auto_submit: true };
    const { task_no: taskNo } = await client.send({ ...request, phones });
    taskNos.push(taskNo);
    await client.waitForTask(taskNo, { until: (task) => task.stage === 'submit_unknown' });
  });
  afterAll(() => console.stop());

  async function look(watched: WatchedPage, path: string, width: number): Promise<void> {
    const { page } = watched;
    await page.goto(`${console.service.url}/console${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForFunction('document.querySelector(".mantine-Skeleton-root") === null');
    const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).analyze();
    const serious = violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${path}: ${id}: ${nodes.map(({ html }) => html).join('\n')}`);
    expect(serious).toEqual([]);
    const scrollWidth = await page.evaluate('document.documentElement.scrollWidth');
    expect(scrollWidth, `${path} is as wide as the screen`).toBeLessThanOrEqual(width);
    expectQuiet(watched, console.service.url);
  }

  test.each(LOOKS)('of a customer: $name', { timeout: 180_000 }, async ({ width, colorScheme, locale }) => {
    const watched = await console.open('/tasks', { width, colorScheme, locale });
    await look(watched, '/tasks', width);
    await keepSession(watched, { customer: { apiKey: console.demo.api_key, apiSecret: console.demo.api_secret } });
    for (const path of [...CUSTOMER_PAGES, `/tasks/${taskNos[0]}`]) await look(watched, path, width);
    await watched.close();
  });

  test.each(LOOKS)('of an operator: $name', { timeout: 180_000 }, async ({ width, colorScheme, locale }) => {
    const watched = await console.open('/operator/platform', { width, colorScheme, locale });
    await look(watched, '/operator/platform', width);
    await keepSession(watched, { operator: { token: TOKEN } });
    const { customer_no: customerNo, channel_no: channelNo } = console.demo;
    const details = [`/operator/customers/${customerNo}?tab=sending`, `/operator/channels/${channelNo}`];
    for (const path of [...OPERATOR_PAGES, ...details]) await look(watched, path, width);
    await watched.close();
  });

  /** As after signing in with "stay signed in": these tests open many pages anew. */
  async function keepSession({ page }: WatchedPage, session: object): Promise<void> {
    const text = JSON.stringify(JSON.stringify(session));
    await page.evaluate(`sessionStorage.setItem('postrider.session', ${text})`);
  }
});
