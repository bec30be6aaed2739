import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readConfig } from '../service/config.js';
import { connectDatabase, type DatabaseAddress, describeAddress, type Sql, waitForDatabase } from '../store/connect.js';
import { databaseOwner } from '../store/embedded/exclusive-session.js';
import { locateCluster } from '../store/embedded/place.js';
import { findPostmaster } from '../store/embedded/postmaster.js';
import { type EmbeddedAddress, startEmbeddedPostgres } from '../store/embedded/start.js';
import type { Terminal } from './terminal.js';

export interface DatabaseAccess {
  readonly sql: Sql;
  close(): Promise<void>;
}

/**
 * The database of the service, for a command that works on it directly. The embedded one is used as it runs beside a
 * service, and started for the time being where no service runs.
 */
export async function openDatabase(terminal: Terminal): Promise<DatabaseAccess> {
  const { databaseUrl, dataDir } = readConfig(terminal.env);
  const say = (message: string) => void terminal.err.write(`${message}\n`);
  const log = { info: () => {}, warn: say };
  const running: DatabaseAddress | undefined = databaseUrl ?? (await findRunningServer(dataDir));
  const started =
    running === undefined ? await startEmbeddedPostgres({ dataDir, log, signal: terminal.signal }) : undefined;
  const address = running ?? started?.address;
  if (address === undefined) throw new Error('There is no database.');
  const sql = connectDatabase(address, { maxConnections: 2, applicationName: 'postrider-cli', statementTimeoutMs: 0 });
  const close = async () => {
    await sql.end({ timeout: 5 });
    await started?.stop();
  };
  try {
    const description = describeAddress(address);
    await waitForDatabase(sql, { description, log, signal: terminal.signal, timeoutMs: 10_000 });
    return { sql, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A server says in its lock file where it listens: line 4 is the port, line 5 the folder of its socket. */
async function findRunningServer(dataDir: string): Promise<EmbeddedAddress | undefined> {
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
