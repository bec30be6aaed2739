// A real browser, headless. On Linux x64 it comes with npm; elsewhere a browser of the system is used, and where there is
// neither, the tests that need one are skipped with the reason.

import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const SYSTEM_BROWSERS = [
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Why there is no browser on this machine; undefined where there is one. */
export function findBrowserMissing(): string | undefined {
  if (comesWithNpm() || findSystemBrowser() !== undefined) return undefined;
  return `no browser for ${process.platform} ${process.arch}: npm brings one for Linux x64, elsewhere install Chromium`;
}

/** The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  // The sandbox of the browser does not run as root, and what is opened here is our own.
  const args = ['--no-sandbox'];
  const executablePath = findSystemBrowser();
  if (executablePath !== undefined) return chromium.launch({ executablePath, args });
  const folder = await unpackBrowser();
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    // Its own fonts, on a machine that has none.
    ...(existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH: join(folder, 'fonts') }),
  };
  return chromium.launch({ executablePath: join(folder, 'chromium'), args, env });
}

export interface WatchedPage {
  readonly page: Page;
  /** Everything that the browser complained about: errors of scripts, of the console, of the content security policy. */
  readonly complaints: readonly string[];
  /** The hosts that were asked for anything. */
  readonly hosts: ReadonlySet<string>;
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
  return { page, complaints, hosts, close: () => context.close() };
}

function comesWithNpm(): boolean {
  return process.platform === 'linux' && process.arch === 'x64';
}

function findSystemBrowser(): string | undefined {
  return SYSTEM_BROWSERS.find((path) => existsSync(path));
}

/**
 * The package unpacks into the folder for temporary files, and takes what lies there for whole. Test files run side by side,
 * so each unpacks into a folder of its own, and the first to be done gives it its lasting name. The libraries that a bare
 * machine lacks come along only where the package takes the machine for one of those it was made for.
 */
async function unpackBrowser(): Promise<string> {
  if (!comesWithNpm()) throw new Error(findBrowserMissing());
  const { default: packaged } = await import('@sparticuz/chromium');
  const kept = join(tmpdir(), `postrider-browser-${process.getuid?.() ?? 0}`);
  if (existsSync(kept)) return kept;
  const draft = await mkdtemp(`${kept}-`);
  const { TMPDIR: before } = process.env;
  try {
    process.env.TMPDIR = draft;
    process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x';
    await packaged.executablePath();
  } finally {
    delete process.env.AWS_LAMBDA_JS_RUNTIME;
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  await rename(draft, kept).catch(() => rm(draft, { recursive: true, force: true }));
  return kept;
}
