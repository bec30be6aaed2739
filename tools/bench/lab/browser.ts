// A real browser, headless, for measurements and tests. On Linux x64 it comes with npm; elsewhere a browser of the system is used.
// For development only: an installation without development packages has none.

import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';

const SYSTEM_BROWSERS = [
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Why there is no browser on this machine; undefined where there is one. */
export function findBrowserMissing(): string | undefined {
  if (!isInstalled('playwright-core'))
    return 'playwright-core is not installed: it is there after npm ci in a checkout';
  if (comesWithNpm() || findSystemBrowser() !== undefined) return undefined;
  return `no browser for ${process.platform} ${process.arch}: npm brings one for Linux x64, elsewhere install Chromium`;
}

/** The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
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

function comesWithNpm(): boolean {
  return process.platform === 'linux' && process.arch === 'x64' && isInstalled('@sparticuz/chromium');
}

function isInstalled(name: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(name) !== '';
  } catch {
    return false;
  }
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
