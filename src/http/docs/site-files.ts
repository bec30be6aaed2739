// The documentation as the build left it: a folder of files whose paths are those of their addresses.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PreparedFile, prepareFile } from '../prepared-file.js';

export interface SiteFile {
  /** Where it is served: `/docs/guides/receipts`. */
  readonly path: string;
  readonly contentType: string;
  /** A page, with places that are filled in when it is sent, or any other file. */
  readonly body: string | PreparedFile;
}

/** The same from the sources and from what is built of them, as `src` and `dist` lie side by side. */
const SITE_FOLDER = fileURLToPath(new URL('../../../dist/documentation', import.meta.url));

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
};

let built: readonly SiteFile[] | undefined;

/** The site of this build, read once in a process: several hundred files, and tests start many services in one. */
export function readBuiltSite(): readonly SiteFile[] {
  built ??= readSite(SITE_FOLDER);
  return built;
}

/** Empty where nothing was built, as in a test that runs the sources alone. */
export function readSite(folder: string): readonly SiteFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .sort()
    .map((file) => toSiteFile(relative(folder, file).split(sep).join('/'), readFileSync(file, 'utf8')));
}

function toSiteFile(name: string, text: string): SiteFile {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  // A program among the examples is shown, and never run by the browser.
  const contentType = (name.includes('/files/') ? undefined : CONTENT_TYPES[extension]) ?? 'text/plain; charset=utf-8';
  return {
    path: `/${extension === 'html' ? name.replace(/(\/index)?\.html$/, '') : name}`,
    contentType,
    body: contentType.startsWith('text/html') ? text : prepareFile(contentType, Buffer.from(text)),
  };
}
