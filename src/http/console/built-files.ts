// The console as it was built: a page and its hashed files, read once and kept in memory.

import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PreparedFile, prepareFile } from '../prepared-file.js';

export interface BuiltFile extends PreparedFile {
  /** Its name contains a hash of its content, so it can be cached for ever. */
  readonly isImmutable: boolean;
}

export interface BuiltConsole {
  /** With `__NONCE__` where the nonce of the answer goes. */
  readonly page: string;
  /** By path below `/console/`. */
  readonly files: ReadonlyMap<string, BuiltFile>;
}

/** The same place from `src` and from `dist`. */
const BUILT_FOLDER = fileURLToPath(new URL('../../../packages/console/dist', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};

let built: { readonly console: BuiltConsole | undefined } | undefined;

/**
 * Undefined when the console was not built, such as in a test that needs none. Read once in a process: tests start many services
 * in one.
 */
export function readBuiltConsole(): BuiltConsole | undefined {
  built ??= { console: readConsole(BUILT_FOLDER) };
  return built.console;
}

function readConsole(folder: string): BuiltConsole | undefined {
  const files = new Map<string, BuiltFile>();
  let page: string | undefined;
  for (const path of listFiles(folder)) {
    const bytes = readFileSync(join(folder, path));
    const name = path.split(sep).join('/');
    if (name === 'index.html') page = bytes.toString('utf8');
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    files.set(name, { ...prepareFile(type, bytes), isImmutable: name.startsWith('assets/') });
  }
  return page === undefined ? undefined : { page, files };
}

function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch {
    return [];
  }
}
