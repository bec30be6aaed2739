// Pages of a real browser that are watched. Where there is none, the tests that need one are skipped with the reason.

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser as launch } from '../../tools/bench/lab/browser.js';
import { noteKind } from './kind.js';

export { findBrowserMissing } from '../../tools/bench/lab/browser.js';

export function launchBrowser(): Promise<Browser> {
  noteKind('browser');
  return launch();
}

export interface WatchedPage {
  readonly page: Page;
  /** Everything that the browser complained about: errors of scripts, of the console, of the content security policy. */
  readonly complaints: readonly string[];
  /** The hosts that were asked for anything. */
  readonly hosts: ReadonlySet<string>;
  /** Also while routes of a test answer: what they still do comes to nothing, and fails nothing. */
  close(): Promise<void>;
}

/** A page in a context of its own, watched from its first request on. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  const close = async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  };
  return { page, complaints, hosts, close };
}
