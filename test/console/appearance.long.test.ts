// Every page as it looks: accessible, in both languages, light and dark, and as wide as the screen and no wider.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing, type WatchedPage } from '../support/browser.js';
import { findViolations } from '../support/find-faults.js';
import { checkout } from '../support/service-process.js';
import {
  type ConsoleService,
  expectQuiet,
  signIn,
  startConsoleService,
  TOKEN,
  waitUntilSignedIn,
} from './console-service.js';

const missing = findBrowserMissing();
const PHONE_WIDTH = 390;

const CUSTOMER_PAGES = [
  '/overview',
  '/search?q=spring',
  '/compose',
  '/tasks',
  '/batches',
  '/batches/look',
  '/receipts',
  '/numbers',
  '/numbers/13800139008',
  '/replies',
  '/opt-outs',
  '/templates',
  '/ledger',
  '/statements/2026-11',
  '/developers',
  '/developers?tab=webhooks',
  '/nowhere',
];

const OPERATOR_PAGES = [
  '/operator/platform',
  '/operator/customers',
  '/operator/customers/new',
  '/operator/search?q=demo',
  '/operator/tasks',
  '/operator/numbers',
  '/operator/numbers/13800139008',
  '/operator/channels',
  '/operator/firms',
  '/operator/margins?by=customer',
  '/operator/blocked-words',
  '/operator/reviews',
  '/operator/unknown',
  '/operator/set-aside',
  '/operator/replies',
  '/operator/reports',
  '/operator/held-channels',
  '/operator/audit',
  '/operator/erasures',
  '/operator/retention',
  '/operator/operators',
];

const CUSTOMER_TABS = ['sending', 'rules', 'credentials', 'users', 'money', 'tasks', 'webhooks', 'optOuts'];

/** Pages of people who sign in with a password. */
const USER_PAGES = {
  customer: ['/users', '/security', '/developers?tab=keys'],
  operator: ['/operator/users', '/operator/security'],
} as const;
const PASSWORD = 'seven green boats sleep';

describe.skipIf(missing !== undefined)(`the pages${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  const taskNos: string[] = [];
  beforeAll(async () => {
    console = await startConsoleService();
    const { client, demo } = console;
    const phones = ['13800139001', '13800139002', '13800139003', '13800139005', '13800139008', 'nonsense'];
    const root = new OperatorClient(console.operator);
    await root.createPrice(demo.customer_no, { firm: 'demo', unit_price: '0.04' });
    await root.createCost(demo.channel_no, { firm: 'demo', unit_price: '0.01' });
    await client.submitTemplate({
      name: 'Sale',
      body: 'Sale until {p1}.',
      service_account_no: demo.service_account_no,
    });
    const request = {
      template_no: demo.template_no,
      variable_values: ['Ann'],
      auto_freeze: true,
      auto_submit: true,
      batch_id: 'look',
    };
    const { task_no: taskNo } = await client.send({ ...request, phones });
    taskNos.push(taskNo);
    await client.waitForTask(taskNo, { until: (task) => task.stage === 'submit_unknown' });
  });
  afterAll(() => console.stop());

  /** Wide and light with every rule; then, without a reload, dark and as narrow as a phone. */
  async function look(watched: WatchedPage, path: string): Promise<void> {
    const { page } = watched;
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${console.service.url}/console${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('.mantine-Skeleton-root').count(), { timeout: 60_000 }).toBe(0);
    expect(await findViolations(page), path).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: PHONE_WIDTH, height: 844 });
    expect(await findViolations(page, ['color-contrast']), `${path} in the dark`).toEqual([]);
    const scrollWidth = await page.evaluate('document.documentElement.scrollWidth');
    expect(scrollWidth, `${path} fits a phone`).toBeLessThanOrEqual(PHONE_WIDTH);
    expectQuiet(watched, console.service.url);
  }

  test('of a customer', { timeout: 480_000 }, async () => {
    const watched = await console.open('/tasks');
    await look(watched, '/tasks');
    await keepSession(watched, { customer: { apiKey: console.demo.api_key, apiSecret: console.demo.api_secret } });
    for (const path of [...CUSTOMER_PAGES, `/tasks/${taskNos[0]}`]) await look(watched, path);
    await watched.close();
  });

  test('of an operator', { timeout: 600_000 }, async () => {
    const watched = await console.open('/operator/platform');
    await look(watched, '/operator/platform');
    await keepSession(watched, { operator: { token: TOKEN } });
    const { customer_no: customerNo, channel_no: channelNo } = console.demo;
    const details = [
      `/operator/customers/${customerNo}`,
      ...CUSTOMER_TABS.map((tab) => `/operator/customers/${customerNo}?tab=${tab}`),
      `/operator/channels/${channelNo}`,
      `/operator/channels/${channelNo}/failures`,
      `/operator/channels/${channelNo}/failures?event=refused&code=REFUSED`,
      `/operator/tasks/${taskNos[0]}`,
    ];
    for (const path of [...OPERATOR_PAGES, ...details]) await look(watched, path);
    await watched.close();
  });

  test.each(['customer', 'operator'] as const)('of a user on the side of a %s', { timeout: 180_000 }, async (side) => {
    const root = new OperatorClient(console.operator);
    const person = { email: `look-${side}@example.com`, name: 'Ann', role: 'admin' } as const;
    const { invitation_url: link } =
      side === 'operator'
        ? await root.createUser(person)
        : await root.createCustomerUser(console.demo.customer_no, person);
    const watched = await console.open('/');
    const { page } = watched;
    await page.goto(link);
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await waitUntilSignedIn(page);
    for (const path of USER_PAGES[side]) await look(watched, path);
    await watched.close();
  });

  test('there is no page that is not looked at', () => {
    const source = readFileSync(join(checkout, 'packages/console/src/routes.tsx'), 'utf8');
    const looked = [
      ...[...CUSTOMER_PAGES, ...OPERATOR_PAGES, ...USER_PAGES.customer, ...USER_PAGES.operator].map(
        (path) => path.split('?')[0] ?? '',
      ),
      ...['/tasks/T1', '/operator/tasks/T1', '/invitations/x', '/operator/customers/C1'],
      ...['/password-reset', '/password-reset/x'],
      ...['/operator/channels/H1', '/operator/channels/H1/failures'],
    ];
    const routes = [...source.matchAll(/^ {2,4}path: '(\/.+)',$/gm)].map(([, path = '']) => path);
    expect(routes.length).toBeGreaterThan(40);
    const unseen = routes.filter((route) => {
      const pattern = new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+')}$`);
      return !looked.some((path) => pattern.test(path));
    });
    expect(unseen).toEqual([]);
  });

  test('lists stay within their cards at every width', { timeout: 120_000 }, async () => {
    const watched = await console.open('/tasks');
    const { page } = watched;
    await keepSession(watched, {
      customer: { apiKey: console.demo.api_key, apiSecret: console.demo.api_secret },
      operator: { token: TOKEN },
    });
    const measure = async () =>
      Number(
        await page.evaluate(`(() => {
          const table = document.querySelector('table[aria-rowcount]');
          const edges = [...table.querySelectorAll('th, td')].map((cell) => cell.getBoundingClientRect().right);
          return Math.max(...edges) - table.closest('section').getBoundingClientRect().right;
        })()`),
      );
    // Those with the most columns.
    const failures = `/operator/channels/${console.demo.channel_no}/failures?event=refused&code=REFUSED`;
    for (const path of ['/tasks', '/receipts', '/ledger', '/operator/tasks', '/operator/customers', failures]) {
      await page.goto(`${console.service.url}/console${path}`);
      await page.getByRole('table').first().waitFor();
      for (const width of [1280, 1248, 1180, 1025, 900, 700]) {
        await page.setViewportSize({ width, height: 900 });
        // The menu takes a moment to go away.
        await expect.poll(measure, { message: `${path} at ${width}` }).toBeLessThanOrEqual(0);
      }
    }
    await watched.close();
  });

  test('in Chinese, as the browser prefers it', async () => {
    const watched = await console.open('/overview', { locale: 'zh-CN', width: PHONE_WIDTH });
    const { page } = watched;
    await page.getByRole('heading', { name: '登录 Postrider' }).waitFor();
    await signIn(page, 'customer', console.demo);
    await page.getByRole('heading', { name: '概览' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('zh-Hans');
    await expect.poll(() => page.getByRole('link', { name: '文档' }).getAttribute('href')).toBe('/docs/zh?lang=zh');
    await page.getByRole('button', { name: '菜单' }).click();
    await page.getByRole('link', { name: '任务' }).click();
    await page.getByRole('table').getByText('待核实').first().waitFor();
    await watched.close();
  });

  /** As after signing in with "stay signed in": these tests open many pages. */
  async function keepSession({ page }: WatchedPage, session: object): Promise<void> {
    const text = JSON.stringify(JSON.stringify(session));
    await page.evaluate(`sessionStorage.setItem('postrider.session', ${text})`);
  }
});
