import { readConfig } from '../config.js';
import { connectDatabase, type DatabaseAddress, describeAddress, type Sql, waitForDatabase } from '../store/connect.js';
import { startEmbeddedPostgres } from '../store/embedded/start.js';
import type { Terminal } from './terminal.js';

export interface DatabaseAccess {
  readonly sql: Sql;
  close(): Promise<void>;
}

/** The database of the service, for a command that works on it directly. The embedded one must not be in use by a service. */
export async function openDatabase(terminal: Terminal): Promise<DatabaseAccess> {
  const config = readConfig(terminal.env);
  const say = (message: string) => void terminal.err.write(`${message}\n`);
  const log = { info: () => {}, warn: say };
  const embedded =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, log, signal: terminal.signal })
      : undefined;
  const address: DatabaseAddress = config.databaseUrl ?? embedded?.address ?? '';
  const sql = connectDatabase(address, { maxConnections: 2, applicationName: 'postrider-cli' });
  const close = async () => {
    await sql.end({ timeout: 5 });
    await embedded?.stop();
  };
  try {
    await waitForDatabase(sql, {
      description: describeAddress(address),
      log,
      signal: terminal.signal,
      timeoutMs: 10_000,
    });
    return { sql, close };
  } catch (error) {
    await close();
    throw error;
  }
}
