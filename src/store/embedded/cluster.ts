import { randomBytes } from 'node:crypto';
import { appendFile, chown, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LineLog } from '../../domain/log.js';
import type { Binaries } from './binaries.js';
import { type DatabaseUser, runAs } from './database-user.js';
import { databaseOwner } from './exclusive-session.js';
import type { Place } from './place.js';
import { renderSettings, type SettingsOptions } from './settings.js';

const unfinishedPrefix = 'postgres-unfinished-';

/** The version check comes first and touches nothing. */
export async function checkClusterVersion(cluster: string, major: number): Promise<void> {
  const found = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (found === undefined || found.trim() === String(major)) return;
  const version = found.trim();
  throw new Error(
    `${cluster} holds a database of PostgreSQL ${version}, and this release brings PostgreSQL ${major}. Nothing was changed. ` +
      `To carry on: start the release that brought PostgreSQL ${version}, export the database with pg_dump, move ` +
      `${cluster} away, start this release once to create an empty database, and import the export. ` +
      `Or run PostgreSQL ${version} yourself on that folder and set POSTRIDER_DATABASE_URL.`,
  );
}

/** Creates the cluster in another folder and renames it into place, so that an interrupted one is never taken for a complete one. */
export async function createCluster(place: Place, binaries: Binaries, user: DatabaseUser, log: LineLog): Promise<void> {
  if (await hasCluster(place)) return;
  log.info(`Creating a database in ${place.cluster}`);
  const draft = join(place.directory, `${unfinishedPrefix}${randomBytes(4).toString('hex')}`);
  await mkdir(draft, { mode: 0o700 });
  if (user !== undefined) await chown(draft, user.uid, user.gid);
  // The same order of text on every machine, by code point, and none of the machine's own locales.
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  // Only the owner and root can enter the socket directory: a password would add nothing.
  const access = [`--username=${databaseOwner}`, '--auth-local=trust', '--auth-host=reject'];
  const result = await runAs(user, binaries.initdb, [`--pgdata=${draft}`, ...locale, ...access], place.directory);
  if (result.code !== 0) {
    await rm(draft, { recursive: true, force: true });
    throw new Error(`The database could not be created in ${place.directory}:\n${result.output}`);
  }
  await appendFile(join(draft, 'postgresql.conf'), "\ninclude 'postrider.conf'\ninclude_if_exists 'local.conf'\n");
  await writeFile(join(draft, 'local.conf'), '# Settings of your own. They win over postrider.conf.\n', {
    mode: 0o644,
  });
  await writeSettings(draft, user, { durable: true });
  try {
    await rename(draft, place.cluster);
  } catch (error) {
    // A concurrent first start on the same folder was faster. Its database is used.
    await rm(draft, { recursive: true, force: true });
    if (!(await hasCluster(place))) throw error;
  }
  const directory = await open(place.directory);
  await directory.sync().finally(() => directory.close());
}

export async function writeSettings(cluster: string, user: DatabaseUser, settings: SettingsOptions): Promise<void> {
  const file = join(cluster, 'postrider.conf');
  await writeFile(file, renderSettings(settings), { mode: 0o600 });
  if (user !== undefined) await chown(file, user.uid, user.gid);
}

/** Called with exclusive access to the folder: no other process uses what is removed. */
export async function removeUnfinishedClusters(place: Place): Promise<void> {
  for (const name of await readdir(place.directory)) {
    if (name.startsWith(unfinishedPrefix)) await rm(join(place.directory, name), { recursive: true, force: true });
  }
}

async function hasCluster(place: Place): Promise<boolean> {
  return readFile(join(place.cluster, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}
