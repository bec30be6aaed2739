// A primary and a standby of it, made with the programs of the embedded PostgreSQL: a base backup by the server's own functions, streaming
// replication through a network that can fail, promotion, and an archive to restore from.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectDatabase } from '../../../src/store/connect.js';
import { type Binaries, prepareBinaries } from '../../../src/store/embedded/binaries.js';
import {
  chooseDatabaseUser,
  type DatabaseUser,
  runAs,
  serverEnvironment,
  spawnIdentity,
} from '../../../src/store/embedded/database-user.js';
import type { Sql } from '../../../src/store/sql.js';
import { startTcpProxy, type TcpProxy } from '../network/tcp-proxy.js';
import { quiet } from '../quiet.js';
import { until } from '../until.js';

export interface PostgresServer {
  readonly port: number;
  readonly directory: string;
  /** Of the database `postrider`. */
  readonly url: string;
  /** The test's own connection. */
  readonly sql: Sql;
  /** As if its machine had lost power: nothing more is written or sent. Resolves when it is gone. */
  kill(): Promise<void>;
  promote(): Promise<void>;
}

export interface Lab {
  /** With `archive`, its log is archived to `archiveDirectory`. */
  startPrimary(settings?: readonly string[]): Promise<PostgresServer>;
  /** Of a running primary. The standby reaches it through the network that is returned with it. */
  startStandby(primary: PostgresServer): Promise<{ readonly standby: PostgresServer; readonly network: TcpProxy }>;
  /** A copy of the files of a running server, to be restored from. */
  backUp(server: PostgresServer): Promise<string>;
  /** Starts a server on a backup, as the archive has it at this restore point. */
  restore(backup: string, restorePoint: string): Promise<PostgresServer>;
  readonly archiveDirectory: string;
  close(): Promise<void>;
}

const OWNER = 'postrider';
const run = promisify(execFile);
const SETTINGS = [
  "listen_addresses = '127.0.0.1'",
  'shared_buffers = 64MB',
  'max_connections = 100',
  'wal_keep_size = 512MB',
  'wal_level = replica',
  'hot_standby = on',
  'fsync = off',
  "log_min_messages = 'fatal'",
];

export async function createLab(): Promise<Lab> {
  const root = await mkdtemp(join(tmpdir(), `postrider-lab-${process.pid}-`));
  await chmod(root, 0o711);
  const user = await chooseDatabaseUser();
  const binaries = await prepareBinaries(root, user, quiet);
  const archiveDirectory = join(root, 'archive');
  await makeOwned(archiveDirectory, user);
  const closers: (() => Promise<unknown>)[] = [];
  let count = 0;
  const nextDirectory = () => join(root, `server-${++count}`);

  const start = async (directory: string, settings: readonly string[]): Promise<PostgresServer> => {
    const port = await findFreePort();
    await appendFile(join(directory, 'postgresql.conf'), `\n${settings.join('\n')}\nport = ${port}\n`);
    return await startServer({ directory, port, binaries, user, closers });
  };

  const backUp = async (server: PostgresServer): Promise<string> => {
    const copy = nextDirectory();
    await makeOwned(copy, user);
    const sql = connectDatabase(server.url, { maxConnections: 1, isKeptOpen: true, statementTimeoutMs: 0 });
    try {
      await sql`select pg_backup_start('lab', true)`;
      // Files may go while they are copied; the log says what was in them.
      await run('cp', ['-a', `${server.directory}/.`, copy]).catch(() => undefined);
      const [stopped] = await sql<{ label: string }[]>`select labelfile as label from pg_backup_stop(false)`;
      await writeOwned(join(copy, 'backup_label'), stopped?.label ?? '', user);
    } finally {
      await sql.end({ timeout: 1 });
    }
    await rm(join(copy, 'postmaster.pid'), { force: true });
    await rm(join(copy, 'pg_wal'), { recursive: true });
    await makeOwned(join(copy, 'pg_wal'), user);
    return copy;
  };

  return {
    archiveDirectory,
    backUp,
    async startPrimary(settings = []) {
      const directory = nextDirectory();
      await makeOwned(directory, user);
      const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
      const { code, output } = await runAs(
        user,
        binaries.initdb,
        [`--pgdata=${directory}`, `--username=${OWNER}`, '--auth=trust', '--no-sync', ...locale],
        root,
      );
      if (code !== 0) throw new Error(output);
      const server = await start(directory, [...SETTINGS, ...settings]);
      return server;
    },
    async startStandby(primary) {
      const network = await startTcpProxy({ host: '127.0.0.1', port: primary.port });
      closers.push(() => network.close());
      const copy = await backUp(primary);
      await writeOwned(join(copy, 'standby.signal'), '', user);
      const source = `host=127.0.0.1 port=${network.port} user=${OWNER} application_name=standby`;
      const standby = await start(copy, [`primary_conninfo = '${source}'`, "synchronous_standby_names = ''"]);
      return { standby, network };
    },
    async restore(backup, restorePoint) {
      await writeOwned(join(backup, 'recovery.signal'), '', user);
      return await start(backup, [
        `restore_command = 'cp ${archiveDirectory}/%f %p'`,
        `recovery_target_name = '${restorePoint}'`,
        "recovery_target_action = 'promote'",
        'archive_mode = off',
      ]);
    },
    async close() {
      for (const close of closers.splice(0).reverse()) await close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

interface ServerPlace {
  readonly directory: string;
  readonly port: number;
  readonly binaries: Binaries;
  readonly user: DatabaseUser;
  readonly closers: (() => Promise<unknown>)[];
}

async function startServer({ directory, port, binaries, user, closers }: ServerPlace): Promise<PostgresServer> {
  const log = await open(`${directory}.log`, 'a');
  const child = spawn(binaries.postgres, ['-D', directory, '-k', directory], {
    ...spawnIdentity(user),
    cwd: directory,
    env: serverEnvironment,
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  closers.push(() => endServer(child));
  const url = `postgres://${OWNER}@127.0.0.1:${port}/postrider`;
  await createDatabase(port, child);
  const sql = connectDatabase(url, { maxConnections: 2, applicationName: 'test', statementTimeoutMs: 0 });
  closers.push(() => sql.end({ timeout: 1 }));
  return {
    port,
    directory,
    url,
    sql,
    kill: () => endServer(child),
    async promote() {
      await sql`select pg_promote(true, 60)`;
    },
  };
}

/** A standby has the one of its primary. */
async function createDatabase(port: number, child: ChildProcess): Promise<void> {
  const sql = connectDatabase(`postgres://${OWNER}@127.0.0.1:${port}/postgres`, { maxConnections: 1 });
  try {
    const isThere = async () => {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      const rows = await sql`select 1 from pg_database where datname = 'postrider'`.catch(() => undefined);
      return rows === undefined ? undefined : rows.length > 0;
    };
    let found: boolean | undefined;
    await until('the server answers', async () => {
      found = await isThere();
      return found !== undefined;
    });
    if (found === false) await sql`create database postrider`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function endServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGQUIT');
  await exited;
}

async function makeOwned(directory: string, user: DatabaseUser): Promise<void> {
  await mkdir(directory, { mode: 0o700 });
  if (user !== undefined) await chown(directory, user.uid, user.gid);
}

async function writeOwned(file: string, text: string, user: DatabaseUser): Promise<void> {
  await writeFile(file, text, { mode: 0o600 });
  if (user !== undefined) await chown(file, user.uid, user.gid);
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
