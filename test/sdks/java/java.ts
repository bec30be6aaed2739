// Java as it is on this machine, and the SDK compiled with it: once for all tests, anew where a source has changed.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../../support/service-process.js';
import { findMissing } from '../toolchain.js';

export const javaFolder = join(checkout, 'sdks/java');

export const missingJava = findMissing({ 'JDK 17 or later': ['javac', '--release', '17', '--version'] });

/** For a program that runs for seconds. */
export const quickJava = ['-XX:TieredStopAtLevel=1'];

export interface CompiledJava {
  /** Of the SDK alone, with its module-info. */
  readonly classes: string;
  /** The SDK, the runner and the examples. */
  readonly classPath: string;
}

/** Throws what the compiler says where it warns of anything. */
export function compileJava(): CompiledJava {
  const sources = ['src', 'conformance', 'examples'].map(listSources);
  const hash = createHash('sha256');
  for (const path of sources.flat()) hash.update(`${path}\n`).update(readFileSync(path));
  const cache = join(checkout, 'node_modules/.cache/sdk-java');
  const folder = join(cache, hash.digest('hex').slice(0, 32));
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    // Aside, and moved when it is whole: another test may do the same.
    const aside = mkdtempSync(join(cache, 'new-'));
    const [sdk = [], ...programs] = sources;
    try {
      runJavac('-d', join(aside, 'classes'), ...sdk);
      runJavac('-d', join(aside, 'programs'), '-cp', join(aside, 'classes'), ...programs.flat());
      renameSync(aside, folder);
    } catch (error) {
      rmSync(aside, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  const classes = join(folder, 'classes');
  return { classes, classPath: `${classes}:${join(folder, 'programs')}` };
}

function listSources(folder: string): string[] {
  const paths = readdirSync(join(javaFolder, folder), { recursive: true, encoding: 'utf8' });
  return paths
    .filter((path) => path.endsWith('.java'))
    .sort()
    .map((path) => join(javaFolder, folder, path));
}

export function runJavac(...words: readonly string[]): void {
  const strict = ['-Xlint:all', '-Werror', '--release', '17', '-encoding', 'UTF-8', '-J-XX:TieredStopAtLevel=1'];
  execFileSync('javac', [...strict, ...words], { stdio: 'pipe' });
}
