import { execFile, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The user of the server; undefined: the user of this process. PostgreSQL refuses to run as root. */
export type DatabaseUser = { readonly uid: number; readonly gid: number; readonly name: string } | undefined;

export interface ProgramResult {
  readonly code: number;
  readonly output: string;
}

const run = promisify(execFile);

/** As root, an unprivileged user of this system for the server; the owner of an existing cluster stays its owner. */
export async function chooseDatabaseUser(clusterDirectory?: string): Promise<DatabaseUser> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = clusterDirectory === undefined ? undefined : await ownerOf(clusterDirectory);
  if (owner !== undefined && owner.uid !== 0) return owner;
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const user = await findUser(name);
    if (user !== undefined) return user;
  }
  throw new Error(
    'Started as root, and this system has neither a user "postgres" nor "nobody" for the database to run as. ' +
      'Start as an ordinary user, or set POSTRIDER_DATABASE_URL.',
  );
}

/** Runs a program as the database user, in an environment in which no PG* variable can lead it astray. */
export function runAs(
  user: DatabaseUser,
  program: string,
  programArguments: readonly string[],
  cwd = '/',
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program, [...programArguments], {
      ...spawnIdentity(user),
      cwd,
      env: serverEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    const finish = (code: number, note: string) =>
      resolve({ code, output: (Buffer.concat(chunks).toString('utf8') + note).trim() });
    child.on('error', (error) => finish(126, error.message));
    child.on('close', (code, signal) => finish(code ?? 128, signal === null ? '' : `killed by ${signal}`));
  });
}

/** Asks the system itself, by trying: mode bits alone would miss access lists and mount options. */
export async function canEnter(user: DatabaseUser, directory: string): Promise<boolean> {
  const { code } = await runAs(user, '/bin/sh', ['-c', 'cd -- "$0"', directory]);
  return code === 0;
}

export function spawnIdentity(user: DatabaseUser): { uid: number; gid: number } | Record<string, never> {
  return user === undefined ? {} : { uid: user.uid, gid: user.gid };
}

export const serverEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

async function ownerOf(directory: string): Promise<DatabaseUser> {
  try {
    const { uid, gid } = await stat(directory);
    return { uid, gid, name: `uid ${uid}` };
  } catch {
    return undefined;
  }
}

async function findUser(name: string): Promise<DatabaseUser> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout), name };
  } catch {
    return undefined;
  }
}
