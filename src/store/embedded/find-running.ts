import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { databaseOwner } from './exclusive-session.js';
import { locateCluster } from './place.js';
import { findPostmaster } from './postmaster.js';
import type { EmbeddedAddress } from './start.js';

/** Where the server of a data folder answers, if one runs. A server says in its lock file where it listens: line 4 is the port, line 5 the folder of its socket. */
export async function findRunningServer(dataDir: string): Promise<EmbeddedAddress | undefined> {
  const cluster = await locateCluster(dataDir);
  if (cluster === undefined) return undefined;
  const lockFile = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const [, , , port, socketDirectory] = lockFile.split('\n');
  if (port === undefined || !socketDirectory) return undefined;
  const directory = dirname(cluster);
  const place = { directory, cluster, socketDirectory, logFile: join(directory, 'postgres.log') };
  if ((await findPostmaster(place)) === undefined) return undefined;
  return { host: socketDirectory, port: Number(port), username: databaseOwner, database: 'postrider' };
}
