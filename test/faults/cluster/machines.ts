// The machines of a cluster as this computer has them: PostgreSQL servers that can be ended as by a power cut, started again,
// and given company.

import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectDatabase } from '../../../src/store/connect.js';
import type { EmbeddedAddress } from '../../../src/store/embedded/start.js';
import type { Sql } from '../../../src/store/sql.js';
import { isAlive } from '../../support/is-alive.js';
import { until } from '../../support/until.js';

export interface Machine {
  readonly host: string;
  readonly port: number;
  /** Ends all its processes at once, and resolves when they are gone. What was written stays. */
  kill(): Promise<void>;
  /** Resolves when it takes connections. */
  start(): Promise<void>;
}

interface Installation {
  readonly data: string;
  readonly programs: string;
  /** The servers run as who owns their files. */
  readonly identity: { readonly uid: number; readonly gid: number };
}

/** The server behind an address, which must be on this computer. */
export async function findMachine(address: EmbeddedAddress): Promise<Machine> {
  return controlMachine(address, await findInstallation(address));
}

async function findInstallation(address: EmbeddedAddress): Promise<Installation> {
  const [row] = await askServer(
    address,
    (sql) => sql<{ data: string; programs: string }[]>`
      select current_setting('data_directory') as data, setting as programs from pg_config where name = 'BINDIR'`,
  );
  if (row === undefined) throw new Error('The server does not say where its files are.');
  const { uid, gid } = statSync(row.data);
  return { ...row, identity: { uid, gid } };
}

function controlMachine({ host, port }: EmbeddedAddress, { data, programs, identity }: Installation): Machine {
  return {
    host,
    port,
    async kill() {
      const [first = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
      const postmaster = Number(first);
      // Stopped, it starts no more of them.
      process.kill(postmaster, 'SIGSTOP');
      const all = [postmaster, ...findChildren(postmaster)];
      for (const pid of all) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      await until('all processes of the server are gone', () => !all.some(isAlive));
    },
    async start() {
      const words = ['-D', data, '-l', join(data, 'started-again.log'), '-w', '-t', '120', 'start'];
      // A server that speaks to others looks for certificates in the home of the user who started it.
      const env = { PATH: process.env.PATH ?? '', HOME: data };
      await promisify(execFile)(join(programs, 'pg_ctl'), words, { ...identity, cwd: '/', env });
    },
  };
}

function findChildren(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => readParent(pid) === parent);
}

function readParent(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

export interface AddedMachine extends Machine {
  remove(): Promise<void>;
}

/**
 * A new, empty server with the settings of another one, and on it a database of that name with the extension. The cluster knows a
 * database that was copied by the name of its model, which must be there as well.
 */
export async function createMachine(like: EmbeddedAddress, port: number, copyOf: string): Promise<AddedMachine> {
  const { data: model, programs, identity } = await findInstallation(like);
  const data = mkdtempSync(join(tmpdir(), 'postrider-faults-worker-'));
  chownSync(data, identity.uid, identity.gid);
  const words = ['-D', data, '-U', like.username, '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  await promisify(execFile)(join(programs, 'initdb'), words, { ...identity, cwd: '/' });
  // The file stays whose it is; the last of two settings counts.
  const settings = readFileSync(join(model, 'postgresql.conf'), 'utf8');
  writeFileSync(join(data, 'postgresql.conf'), `${settings}\nport = ${port}\n`);
  const machine = controlMachine({ ...like, port }, { data, programs, identity });
  await machine.start();
  for (const name of [copyOf, like.database]) {
    await askServer({ ...like, port, database: 'postgres' }, (sql) => sql.unsafe(`create database ${name}`));
  }
  await askServer({ ...like, port }, (sql) => sql.unsafe('create extension citus'));
  return {
    ...machine,
    async remove() {
      await machine.kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function askServer<T>(address: EmbeddedAddress, ask: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const sql = connectDatabase(address, { maxConnections: 1, statementTimeoutMs: 0, applicationName: 'checker' });
  try {
    return await ask(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
