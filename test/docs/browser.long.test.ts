// The documentation in a real browser: read, searched, copied from, on a wide screen and a phone, light and dark, with and
// without scripts.

import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderDocumentation } from '../../tools/site/main.js';
import { findBrowserMissing, launchBrowser, openPage, type WatchedPage } from '../support/browser.js';
import { type ServedDocumentation, serveDocumentation } from '../support/documentation.js';
import { findViolations } from '../support/find-faults.js';

const WIDE = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

const LOOKS = {
  'wide and light': { ...WIDE, colorScheme: 'light' },
  'wide and dark': { ...WIDE, colorScheme: 'dark' },
  'on a phone and light': { ...PHONE, colorScheme: 'light' },
  'on a phone and dark': { ...PHONE, colorScheme: 'dark' },
} as const;

/** One page of each kind; looking into a long one takes a browser half a minute and finds nothing else. */
const PAGES: readonly (readonly [string, keyof typeof LOOKS])[] = [
  ['/docs', 'wide and light'],
  ['/docs', 'on a phone and dark'],
  ['/docs/guides/first-message', 'wide and dark'],
  ['/docs/reference/errors', 'wide and light'],
  ['/docs/state-machine', 'on a phone and dark'],
  ['/docs/api/customer/finance', 'wide and dark'],
  ['/docs/api/operator/firms', 'on a phone and light'],
  ['/docs/zh', 'on a phone and light'],
  ['/docs/zh/guides/webhooks', 'wide and dark'],
  ['/docs/zh/reference/receipt-codes', 'on a phone and dark'],
];

/** Every page there is. */
const PATHS = renderDocumentation().flatMap(({ name }) =>
  name.endsWith('.html') ? [`/${name.replace(/(\/index)?\.html$/, '')}`] : [],
);

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(
  `the documentation in a browser${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let docs: ServedDocumentation;
    let browser: Browser;
    beforeAll(async () => {
      docs = await serveDocumentation(async () => ({ api_key: 'pk_demo', api_secret: 'sk_demo' }));
      browser = await launchBrowser();
    });
    afterAll(async () => {
      await browser?.close();
      await docs?.stop();
    });

    /** Opens a page, and afterwards holds the browser to have complained of nothing and asked nobody else. */
    async function read(path: string, options: BrowserContextOptions, look: (watched: WatchedPage) => Promise<void>) {
      const watched = await openPage(browser, options);
      try {
        await watched.page.goto(docs.url + path);
        await look(watched);
        expect(watched.complaints).toEqual([]);
        expect([...watched.hosts]).toEqual([new URL(docs.url).host]);
      } finally {
        await watched.close();
      }
    }

    it.each(PAGES)('%s has no serious fault of access, %s', async (path, look) => {
      await read(path, LOOKS[look], async ({ page }) => {
        expect(await findViolations(page)).toEqual([]);
      });
    });

    it('fits a phone, page by page', async () => {
      await read('/docs', PHONE, async ({ page }) => {
        for (const path of PATHS) {
          await page.goto(docs.url + path);
          expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(PHONE.viewport.width);
        }
      });
    });

    it.each([
      ['idempotency_conflict', '/docs/reference/errors'],
      ['opted out', '/docs/guides/receipts'],
      ['top up', '/docs/api/operator/money'],
      ['POSTRIDER_PORT', '/docs/configuration'],
    ])('finds %s', async (words, path) => {
      await read('/docs', WIDE, async ({ page }) => {
        await page.keyboard.press('/');
        await page.keyboard.type(words);
        const results = page.locator('#search-results li[data-path]');
        await results.first().waitFor();
        const paths = await Promise.all((await results.all()).map((result) => result.getAttribute('data-path')));
        expect(paths.map((found) => found?.split('#')[0])).toContain(path);
        await page.keyboard.press('Enter');
        await page.waitForURL((url) => url.pathname !== '/docs');
      });
    });

    it.each([
      ['receipts', '/docs/guides/receipts'],
      ['webhooks', '/docs/guides/webhooks'],
      ['money', '/docs/guides/money'],
      ['retries', '/docs/guides/retries'],
      ['batches', '/docs/guides/batches'],
      ['python', '/docs/sdks/python'],
    ])('shows the guide that is called so first for %s', async (words, path) => {
      await read('/docs', WIDE, async ({ page }) => {
        await page.locator('#search').fill(words);
        const first = page.locator('#search-results li[data-path]').first();
        await first.waitFor();
        await expect.poll(() => first.getAttribute('data-path')).toBe(path);
      });
    });

    it.each([
      ['退订', '/docs/zh/guides/receipts'],
      ['idempotency_conflict', '/docs/zh/reference/errors'],
      ['/openapi/v1/finance/account/', '/docs/api/customer/finance'],
    ])('finds %s in Chinese', async (words, path) => {
      await read('/docs/zh', WIDE, async ({ page }) => {
        await page.getByRole('combobox', { name: '搜索文档' }).fill(words);
        const results = page.locator('#search-results li[data-path]');
        await results.first().waitFor();
        const paths = await Promise.all((await results.all()).map((result) => result.getAttribute('data-path')));
        expect(paths.map((found) => found?.split('#')[0])).toContain(path);
      });
    });

    it('begins in the language of the browser, switches page by page, and remembers the choice', async () => {
      await read('/docs', { ...PHONE, locale: 'zh-CN' }, async ({ page }) => {
        await page.getByRole('heading', { level: 1, name: 'Postrider 文档' }).waitFor();
        await page.getByRole('link', { name: '回执及其含义' }).click();
        await page.getByRole('heading', { level: 1, name: '回执及其含义' }).waitFor();
        await page.getByRole('link', { name: 'English', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: 'Receipts and what they mean' }).waitFor();
        await page.goto(`${docs.url}/docs`);
        await page.getByRole('heading', { level: 1, name: 'Postrider documentation' }).waitFor();
        await page.getByRole('link', { name: '中文' }).click();
        await page.getByRole('heading', { level: 1, name: 'Postrider 文档' }).waitFor();
      });
    });

    it('says when it finds nothing', async () => {
      await read('/docs', WIDE, async ({ page }) => {
        await page.locator('#search').fill('xylophone');
        await page.getByText('Nothing found.').waitFor();
      });
    });

    it('copies what is shown, the values of the demo included', async () => {
      const permissions = ['clipboard-read', 'clipboard-write'];
      await read('/docs/api/customer/messages', { ...WIDE, permissions }, async ({ page }) => {
        const block = page.locator('.note .block');
        await block.hover();
        await block.getByRole('button', { name: 'Copy this code' }).click();
        await block.getByText('Copied').waitFor();
        expect(await page.evaluate('navigator.clipboard.readText()')).toContain('export POSTRIDER_API_KEY=pk_demo\n');
      });
    });

    it('copies also where the browser keeps its clipboard to itself, as over plain HTTP', async () => {
      await read('/docs/guides/first-message', WIDE, async ({ page }) => {
        await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
        await page.reload();
        const block = page.locator('.block:not(.output)').first();
        await block.hover();
        await block.getByRole('button', { name: 'Copy this code' }).click();
        await block.getByText('Copied', { exact: true }).waitFor();
      });
    });

    it('does not cover code with its button on a phone', async () => {
      await read('/docs/guides/first-message', { ...PHONE, isMobile: true }, async ({ page }) => {
        const block = page.locator('.block:not(.output)').first();
        const [button, code] = [await block.locator('.copy').boundingBox(), await block.locator('code').boundingBox()];
        expect(code?.y).toBeGreaterThanOrEqual((button?.y ?? Number.NaN) + (button?.height ?? Number.NaN));
      });
    });

    it('shows every example in the language that was chosen, on the next page as well', async () => {
      await read('/docs/api/customer/messages', WIDE, async ({ page }) => {
        await page.getByRole('tab', { name: 'Python' }).first().click();
        await expect
          .poll(() => page.locator('.panel:visible').first().textContent())
          .toContain('from call import call');
        await page.goto(`${docs.url}/docs/api/operator/firms`);
        const shown = await page.locator('.panel:visible').allTextContents();
        expect(shown.length).toBeGreaterThan(1);
        for (const text of shown) expect(text).toContain('from call import call');
      });
    });

    it('switches its examples by keyboard, as tabs do', async () => {
      await read('/docs/guides/first-message', WIDE, async ({ page }) => {
        const tab = (name: string) => page.getByRole('tab', { name, exact: true });
        const panel = page.getByRole('tabpanel');
        await tab('curl').focus();
        for (const [key, name, code] of [
          ['ArrowRight', 'TypeScript', 'new PostriderClient'],
          ['End', 'PHP', 'new Recipient('],
          ['ArrowRight', 'curl', 'source ./call.sh'],
          ['ArrowLeft', 'PHP', 'new Recipient('],
          ['Home', 'curl', 'source ./call.sh'],
        ] as const) {
          await page.keyboard.press(key);
          expect(await page.evaluate('document.activeElement.textContent'), key).toBe(name);
          expect(await tab(name).getAttribute('aria-selected'), key).toBe('true');
          await expect.poll(() => page.getByRole('tab', { selected: true }).count()).toBe(1);
          expect(await panel.textContent(), key).toContain(code);
        }
        // One stop for all tabs; the next one is the code.
        await page.keyboard.press('Tab');
        expect(await page.evaluate("document.activeElement.closest('[role=tabpanel]') !== null")).toBe(true);
      });
    });

    it('marks the section being read', async () => {
      await read('/docs/guides/receipts', WIDE, async ({ page }) => {
        const marked = page.locator('.contents [aria-current="location"]');
        await expect.poll(() => marked.textContent()).toBe('The fields');
        await page.goto(`${docs.url}/docs/guides/receipts#long-messages`);
        await page.locator('.contents [href="#long-messages"][aria-current="location"]').waitFor();
        await expect.poll(() => marked.count()).toBe(1);
      });
    });

    it('folds its menu on a phone, and opens it by touch, without a script', async () => {
      await read('/docs/guides/receipts', { ...PHONE, javaScriptEnabled: false }, async ({ page }) => {
        const menu = page.locator('#menu');
        await expect.poll(() => menu.isVisible()).toBe(false);
        await page.locator('.menu-button').tap();
        await expect.poll(() => menu.isVisible()).toBe(true);
        await menu.getByText('Errors', { exact: true }).tap();
        await page.waitForURL('**/docs/reference/errors');
        await expect.poll(() => menu.isVisible()).toBe(false);
      });
    });

    it('can be read without a script, its examples one below the other', async () => {
      await read('/docs/api/customer/finance', { ...WIDE, javaScriptEnabled: false }, async ({ page }) => {
        const example = page.locator('.tabs').first();
        expect(await example.locator('.panel-name:visible').allTextContents()).toEqual([
          'curl',
          'TypeScript',
          'Python',
          'Go',
          'Java',
          'PHP',
        ]);
        await expect.poll(() => example.locator('.block:visible').last().textContent()).toContain("require 'call.php'");
        expect(await page.locator('.tab-list:visible').count()).toBe(0);
        await expect.poll(() => page.locator('.search').isVisible()).toBe(false);
      });
    });

    it('is printed without bar and menu', async () => {
      await read('/docs/reference/errors', WIDE, async ({ page }) => {
        await page.emulateMedia({ media: 'print' });
        // As wide as paper is, which on a screen would be a phone's or a small window's.
        await page.setViewportSize({ width: 700, height: 1000 });
        await expect.poll(() => page.locator('table thead').first().isVisible()).toBe(true);
        const code = await page.locator('#timestamp_out_of_range code').first().boundingBox();
        expect(code?.height, 'a code is not broken into lines').toBeLessThan(24);
        for (const part of ['.bar', '#menu', '.contents', '.copy >> nth=0'])
          await expect.poll(() => page.locator(part).isVisible()).toBe(false);
        await expect.poll(() => page.getByRole('heading', { name: 'Errors' }).isVisible()).toBe(true);
      });
    });

    it('fits the paper that it is printed on, page by page', async () => {
      await read('/docs', WIDE, async ({ page }) => {
        await page.emulateMedia({ media: 'print' });
        // A4 without its margins; what is wider is cut off, because paper does not scroll.
        await page.setViewportSize({ width: 673, height: 1000 });
        for (const path of PATHS) {
          await page.goto(docs.url + path);
          expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(673);
        }
      });
    });
  },
);
