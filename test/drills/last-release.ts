// The release before this tree, built from git in a temporary folder with the dependencies of this checkout. Nothing is fetched.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '../support/service-process.js';

export interface LastRelease {
  readonly version: string;
  readonly commit: string;
}

/** Why there is none to run: a clone without history, or dependencies that are not installed here. */
export interface NoRelease {
  readonly reason: string;
}

const run = promisify(execFile);

async function git(...words: string[]): Promise<string> {
  return (await run('git', ['-C', checkout, ...words], { maxBuffer: 2 ** 28 })).stdout.trim();
}

/**
 * The newest version of the changelog whose section is not this commit's work: the one below an "Unreleased" section that has
 * entries, else the one before it. Its commit is the one tagged `v<version>`; where there is no tag, the one that set the version in
 * package.json, as `scripts/release.mjs` does in the commit that it tags.
 */
export async function findLastRelease(): Promise<LastRelease | NoRelease> {
  const version = readLastVersion(readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8'));
  if (version === undefined) return { reason: 'the changelog names no release' };
  if (isBeforeFirstUpgrade(version))
    return { reason: `${version} has another schema: upgrades begin with the release after 0.3.0` };
  try {
    const commit = (await findTag(version)) ?? (await findVersionCommit(version));
    if (commit === undefined)
      return { reason: `no commit of this clone sets the version to ${version}, and there is no tag` };
    return { version, commit };
  } catch (error) {
    return { reason: `git cannot say which commit is ${version}: ${(error as Error).message.split('\n')[0]}` };
  }
}

/** Databases from before 0.3.0 are not taken over (decision 0095). */
function isBeforeFirstUpgrade(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === 0 && minor < 3;
}

export function readLastVersion(changelog: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const isReleased = (section: string) => /^\d+\.\d+\.\d+ - /.test(section);
  const [newest, before] = sections.filter(isReleased).map((section) => section.split(' ')[0]);
  const unreleased = sections.find((section) => section.startsWith('Unreleased'));
  const hasEntries = unreleased !== undefined && /^- /m.test(unreleased);
  return hasEntries ? newest : before;
}

async function findTag(version: string): Promise<string | undefined> {
  return (await git('tag', '--list', '--format=%(objectname)%(*objectname)', `v${version}`)) === ''
    ? undefined
    : await git('rev-parse', `v${version}^{commit}`);
}

async function findVersionCommit(version: string): Promise<string | undefined> {
  // The oldest commit of a shallow clone seems to add everything.
  if ((await git('rev-parse', '--is-shallow-repository')) === 'true') return undefined;
  const commits = await git('log', '--reverse', '--format=%H', `-S"version": "${version}"`, '--', 'package.json');
  return commits.split('\n').find((line) => line !== '');
}

/** A folder with `dist` and `bin`, to run from; or why it cannot be built here. */
export async function buildRelease(
  release: LastRelease,
): Promise<{ readonly root: string; remove(): Promise<void> } | NoRelease> {
  const root = mkdtempSync(join(tmpdir(), `postrider-${release.version}-`));
  const remove = () => rm(root, { recursive: true, force: true });
  const archive = join(root, 'release.tar');
  await git('archive', '--output', archive, release.commit);
  await run('tar', ['-xf', archive, '-C', root]);
  const missing = findMissing(root);
  if (missing.length > 0) {
    await remove();
    return { reason: `${release.version} needs dependencies that are not installed here: ${missing.join(', ')}` };
  }
  linkDependencies(root);
  const tsc = join(checkout, 'node_modules/.bin/tsc');
  // Types were checked when it was released.
  await run(tsc, ['-p', 'packages/client/tsconfig.json', '--noCheck'], { cwd: root });
  await run(tsc, ['-p', 'tsconfig.build.json', '--noCheck'], { cwd: root });
  cpSync(join(root, 'src'), join(root, 'dist'), {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || path.endsWith('.sql'),
  });
  return { root, remove };
}

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readManifest(...path: string[]): Manifest {
  const file = join(...path, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : {};
}

/** The dependencies of the release that this checkout does not have in the same version. */
function findMissing(root: string): string[] {
  return Object.entries(readManifest(root).dependencies ?? {})
    .filter(([name, version]) => readManifest(checkout, 'node_modules', name).version !== version)
    .map(([name, version]) => `${name} ${version}`);
}

/** All dependencies of this checkout, but the release's own packages. */
function linkDependencies(root: string): void {
  const [from, to] = [join(checkout, 'node_modules'), join(root, 'node_modules')];
  mkdirSync(join(to, '@postrider'), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== '@postrider') symlinkSync(join(from, name), join(to, name));
  }
  symlinkSync(join(root, 'packages/client'), join(to, '@postrider/client'));
}
