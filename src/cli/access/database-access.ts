import { readConfig } from '../../service/config.js';
import { connectDatabase, type DatabaseAddress, describeAddress, waitForDatabase } from '../../store/connect.js';
import { findRunningServer } from '../../store/embedded/find-running.js';
import { startEmbeddedPostgres } from '../../store/embedded/start.js';
import type { Sql } from '../../store/sql.js';
import type { Terminal } from '../terminal.js';

export interface DatabaseAccess {
  readonly sql: Sql;
  close(): Promise<void>;
}

/**
 * The database of the service, for a command that works on it directly. Uses a running embedded server, and starts one for the duration of
 * the command if no service runs.
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
  const sql = connectDatabase(address, { maxConnections: 3, applicationName: 'postrider-cli', statementTimeoutMs: 0 });
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
