import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, link, lstat, mkdir, readFile, realpath, rmdir, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { LineLog } from '../../domain/log.js';
import { canEnter, type DatabaseUser } from './database-user.js';

/** The paths of one embedded server. */
export interface Place {
  /** Holds everything below; the data folder, or a stand-in for it. */
  readonly directory: string;
  /** PGDATA. */
  readonly cluster: string;
  /** Where the server listens. Only its owner and root can enter. */
  readonly socketDirectory: string;
  /** What the server itself writes. */
  readonly logFile: string;
}

const clusterName = 'postgres';
const locationFile = 'database-location';

// A Unix socket's path ends up in a fixed field: 107 bytes on Linux, 103 on macOS.
const socketPathLimitBytes = 103;

export const socketPort = 5432;

/** Where the cluster of this data folder is or will be, found without changing anything. */
export async function locateCluster(dataDir: string): Promise<string | undefined> {
  const directory = (await readLocation(dataDir)) ?? dataDir;
  return (await exists(join(directory, clusterName))) ? join(directory, clusterName) : undefined;
}

/**
 * The data folder contains the database, unless the database user cannot access it: for example as root, with the folder under a home
 * directory of mode 0700. We do not change the mode of foreign folders, so the database is then in another folder, and a file in the data
 * folder says where.
 */
export async function choosePlace(dataDir: string, user: DatabaseUser, log: LineLog): Promise<Place> {
  const folder = await realpath(dataDir);
  const recorded = await readLocation(folder);
  if (recorded !== undefined) {
    if (!(await exists(recorded))) {
      throw new Error(
        `${join(folder, locationFile)} says that the database is in ${recorded}, and it is not there. ` +
          `Bring that folder back; or, to begin with an empty database, delete ${join(folder, locationFile)}.`,
      );
    }
    log.info(`The database of ${folder} is in ${recorded}`);
    return describePlace(recorded, user);
  }
  if (user === undefined || (await canEnter(user, folder))) return describePlace(folder, user);
  const created = await createElsewhere(basename(dirname(folder)));
  if (!(await canEnter(user, created))) {
    throw new Error(`The database user ${user.name} can enter neither ${folder} nor ${created}.`);
  }
  const elsewhere = await recordLocation(folder, created);
  log.warn(`The database user ${user.name} cannot enter ${folder}; the database is kept in ${elsewhere}`);
  return describePlace(elsewhere, user);
}

// Two first starts at once must agree: a link appears whole or not at all, and only one of them can make it.
async function recordLocation(folder: string, created: string): Promise<string> {
  const draft = join(folder, `${locationFile}.${randomBytes(4).toString('hex')}`);
  await writeFile(draft, `${created}\n`);
  try {
    await link(draft, join(folder, locationFile));
    return created;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await rmdir(created);
    return (await readLocation(folder)) ?? created;
  } finally {
    await unlink(draft);
  }
}

async function describePlace(directory: string, user: DatabaseUser): Promise<Place> {
  await checkOwner(join(directory, clusterName), user);
  return {
    directory,
    cluster: join(directory, clusterName),
    socketDirectory: await createSocketDirectory(directory, user),
    logFile: join(directory, 'postgres.log'),
  };
}

// PostgreSQL runs only as the owner of its files, and only root can change the user.
async function checkOwner(cluster: string, user: DatabaseUser): Promise<void> {
  const owner = await lstat(cluster).then(
    (found) => found.uid,
    () => undefined,
  );
  const runner = user?.uid ?? process.getuid?.();
  if (owner === undefined || owner === runner) return;
  throw new Error(
    `The database in ${cluster} belongs to another user (uid ${owner}). Start as root or as that user, ` +
      'or give this service a folder of its own with POSTRIDER_DATA_DIR.',
  );
}

async function createElsewhere(label: string): Promise<string> {
  const name = `${label.replace(/[^A-Za-z0-9._-]/g, '') || 'data'}-${randomBytes(4).toString('hex')}`;
  const faults: string[] = [];
  for (const base of ['/var/lib', '/var/tmp']) {
    try {
      const parent = base === '/var/lib' ? join(base, 'postrider') : base;
      if (parent !== base) await createFolder(parent, 0o755);
      const directory = join(parent, parent === base ? `postrider-${name}` : name);
      await mkdir(directory);
      await chmod(directory, 0o711);
      return directory;
    } catch (error) {
      faults.push((error as Error).message);
    }
  }
  throw new Error(`There is no place for the database that an unprivileged user can reach: ${faults.join('; ')}`);
}

async function createFolder(directory: string, mode: number): Promise<void> {
  try {
    await mkdir(directory);
    await chmod(directory, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function createSocketDirectory(directory: string, user: DatabaseUser): Promise<string> {
  const inside = join(directory, 'socket');
  const longest = Buffer.byteLength(join(inside, `.s.PGSQL.${socketPort}.lock`));
  const key = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  // A comma would end the name in the server's list of directories.
  const fits = longest <= socketPathLimitBytes && !/[",]/.test(inside);
  const socketDirectory = fits ? inside : `/tmp/postrider-${user?.uid ?? process.getuid?.() ?? 0}-${key}`;
  await createFolder(socketDirectory, 0o700);
  const found = await lstat(socketDirectory);
  const owner = user?.uid ?? process.getuid?.();
  if (found.isDirectory() && found.uid === process.getuid?.() && user !== undefined) {
    await chown(socketDirectory, user.uid, user.gid);
  } else if (!found.isDirectory() || (owner !== undefined && found.uid !== owner) || (found.mode & 0o077) !== 0) {
    // In /tmp another user may have created it first, to listen in our place.
    throw new Error(`${socketDirectory} must be a directory that only the database user can enter. Remove it.`);
  }
  return socketDirectory;
}

async function readLocation(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, locationFile), 'utf8').catch(() => undefined);
  return text?.trim();
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
