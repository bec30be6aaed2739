// A whole service with its demo, and a browser that looks at it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OperatorClientOptions, PostriderClient } from '@postrider/client';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type RunningService, start } from '../../src/app/start.js';
import { readConfig } from '../../src/service/config.js';
import type { DemoCredentials } from '../../src/service/demo.js';
import type { Sql } from '../../src/store/sql.js';
import { launchBrowser, openPage, type WatchedPage } from '../support/browser.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

export const TOKEN = 'operator-token-of-the-console-tests';

export interface ConsoleService {
  readonly service: RunningService;
  readonly demo: DemoCredentials;
  readonly client: PostriderClient;
  readonly operator: OperatorClientOptions;
  readonly browser: Browser;
  readonly sql: Sql;
  open(path: string, options?: OpenOptions): Promise<WatchedPage>;
  /** Takes the service away, and returns what brings it back at the same address. */
  takeAway(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

interface OpenOptions {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
  readonly role?: 'customer' | 'operator';
}

export async function startConsoleService(): Promise<ConsoleService> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'postrider-console-'));
  let service = await startService(database, folder, '0');
  const { demo } = service;
  if (demo === undefined) throw new Error('the demo was not set up');
  const browser = await launchBrowser();
  return {
    get service() {
      return service;
    },
    demo,
    browser,
    sql: database.sql,
    client: new PostriderClient({ baseUrl: service.url, apiKey: demo.api_key, apiSecret: demo.api_secret }),
    operator: { baseUrl: service.url, token: TOKEN },
    async open(path, { width = 1280, role, ...options } = {}) {
      const watched = await openPage(browser, { viewport: { width, height: 900 }, locale: 'en-GB', ...options });
      await watched.page.goto(`${service.url}/console${path}`);
      if (role !== undefined) await signIn(watched.page, role, demo);
      return watched;
    },
    async takeAway() {
      const { port } = new URL(service.url);
      await service.stop();
      return async () => {
        service = await startService(database, folder, port);
      };
    },
    async stop() {
      await browser.close();
      await service.stop();
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}

function startService(database: TestDatabase, folder: string, port: string): Promise<RunningService> {
  const config = readConfig({
    POSTRIDER_DATABASE_URL: database.url,
    POSTRIDER_DATA_DIR: folder,
    POSTRIDER_PORT: port,
    POSTRIDER_DEMO: 'on',
    POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8',
    POSTRIDER_OPERATOR_TOKEN: TOKEN,
  });
  const onFailure = (error: Error) => {
    throw error;
  };
  return start(config, { log: pino({ level: 'silent' }), onFailure });
}

/** In English or Chinese: the labels of keys and secrets are the same, and Enter needs no word. */
export async function signIn(page: Page, role: 'customer' | 'operator', demo: DemoCredentials): Promise<void> {
  await openKeyForm(page);
  if (role === 'operator') {
    await page.getByLabel(/^(Operator token|操作员令牌)$/).fill(TOKEN);
  } else {
    await page.getByLabel('API key').fill(demo.api_key);
    await page.getByLabel('API secret').fill(demo.api_secret);
  }
  await page.keyboard.press('Enter');
  await waitUntilSignedIn(page);
}

/** Keys and tokens are behind a link of the sign-in page; who has used one before is asked for one at once. */
export async function openKeyForm(page: Page): Promise<void> {
  const keys = page.getByRole('button', {
    name: /^(Use an (API key|operator token)|使用( API key |操作员令牌)登录)$/,
  });
  const password = page.getByRole('button', { name: /^(Use email and password|使用邮箱和密码登录)$/ });
  await keys.or(password).waitFor();
  if (await keys.isVisible()) await keys.click();
}

/** The way out is there at every width and in both languages. */
export async function waitUntilSignedIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(Signed in as|已登录)/ }).waitFor();
}

/** Nothing went wrong behind the page: no error, no warning, no report of the policy, no other host. */
export function expectQuiet({ complaints, hosts }: WatchedPage, url: string): void {
  expect(complaints).toEqual([]);
  expect([...hosts]).toEqual([new URL(url).host]);
}

/** Nothing is preselected in a browser that has not sent before. */
export async function chooseTemplate(page: Page, { template_no: templateNo }: DemoCredentials): Promise<void> {
  await page.getByLabel(/^(Template|模板)$/).selectOption(templateNo);
}
