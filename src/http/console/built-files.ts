// The console as it was built: a page and its hashed files, read once and kept in memory, compressed when first asked for.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export interface BuiltFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
  /** Its name contains a hash of its content, so it can be cached for ever. */
  readonly isImmutable: boolean;
  readonly compressed: Map<Encoding, Promise<Buffer>>;
}

export interface BuiltConsole {
  /** With `__NONCE__` where the nonce of the answer goes. */
  readonly page: string;
  /** By path below `/console/`. */
  readonly files: ReadonlyMap<string, BuiltFile>;
}

export type Encoding = 'br' | 'gzip';

/** The same place from `src` and from `dist`. */
const BUILT_FOLDER = fileURLToPath(new URL('../../../packages/console/dist', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};

/** Undefined when the console was not built, such as in a test that needs none. */
export function readBuiltConsole(folder: string = BUILT_FOLDER): BuiltConsole | undefined {
  const files = new Map<string, BuiltFile>();
  let page: string | undefined;
  for (const path of listFiles(folder)) {
    const bytes = readFileSync(join(folder, path));
    const name = path.split(sep).join('/');
    if (name === 'index.html') page = bytes.toString('utf8');
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    files.set(name, { type, bytes, etag, isImmutable: name.startsWith('assets/'), compressed: new Map() });
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

const compressors: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

export function chooseEncoding(accepted: string | undefined): Encoding | undefined {
  const names = new Set((accepted ?? '').split(',').map((part) => part.split(';')[0]?.trim()));
  return names.has('br') ? 'br' : names.has('gzip') ? 'gzip' : undefined;
}

export function compressFile(file: BuiltFile, encoding: Encoding): Promise<Buffer> {
  const known = file.compressed.get(encoding);
  if (known !== undefined) return known;
  const made = compressors[encoding](file.bytes);
  file.compressed.set(encoding, made);
  return made;
}
