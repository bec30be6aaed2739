// Go as it is on this machine.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '../../support/service-process.js';
import { findMissing } from '../toolchain.js';

export const goFolder = join(checkout, 'sdks/go');

export const missingGo = findMissing({ Go: ['go', 'version'] });

/** No module of others is needed, so no proxy is asked, and no newer toolchain either. */
export const goEnv = { ...process.env, GOFLAGS: '', GOPROXY: 'off', GOTOOLCHAIN: 'local', GOWORK: 'off' };

export async function runGo(
  words: readonly string[],
  cwd: string = goFolder,
  env: NodeJS.ProcessEnv = goEnv,
): Promise<string> {
  return (await promisify(execFile)('go', words, { cwd, env })).stdout;
}

/** A folder for what is built, gone when the tests are; none where there is no Go, as nothing removes it then. */
export function makeFolder(): { readonly path: string; remove(): void } {
  const path = join(tmpdir(), `postrider-go-${randomUUID()}`);
  if (missingGo === undefined) mkdirSync(path);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
