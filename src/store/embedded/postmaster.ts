import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { link, open, readFile, readlink, realpath, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.js';
import { type DatabaseUser, serverEnvironment, spawnIdentity } from './database-user.js';
import { type Place, socketPort } from './place.js';

const logLimitBytes = 10 * 1024 * 1024;
const fastShutdownMs = 60_000;

/** Starts the server. It survives if this process is killed: the next one attaches to it. */
export async function spawnPostmaster(binaries: Binaries, place: Place, user: DatabaseUser): Promise<ChildProcess> {
  const size = await stat(place.logFile).then(
    (found) => found.size,
    () => 0,
  );
  // A file and not a pipe: a pipe would break with us, and the server with it.
  const log = await open(place.logFile, size > logLimitBytes ? 'w' : 'a', 0o600);
  try {
    const child = spawn(
      binaries.postgres,
      ['-D', place.cluster, '-k', place.socketDirectory, '-p', String(socketPort), '-c', 'listen_addresses='],
      {
        ...spawnIdentity(user),
        cwd: place.directory,
        env: serverEnvironment,
        stdio: ['ignore', log.fd, log.fd],
        // In a separate session: an interrupt at the terminal is for this process, which then stops the server.
        detached: true,
      },
    );
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    return child;
  } finally {
    await log.close();
  }
}

/** The process id of the server that runs on this cluster. */
export async function findPostmaster(place: Place): Promise<number | undefined> {
  const pid = await readPid(join(place.cluster, 'postmaster.pid'));
  return pid !== undefined && (await isPostmasterOf(pid, place.cluster)) ? pid : undefined;
}

/**
 * Removes the lock files of a server that has ended. PostgreSQL does so itself, unless another process of the same user has the process
 * id, which may happen after a restart of the machine; then it would refuse to start.
 */
export async function removeStaleLockFiles(place: Place): Promise<void> {
  const socketLock = join(place.socketDirectory, `.s.PGSQL.${socketPort}.lock`);
  for (const file of [join(place.cluster, 'postmaster.pid'), socketLock]) {
    const before = await readFile(file, 'utf8').catch(() => undefined);
    const pid = await readPid(file);
    if (before === undefined || (pid !== undefined && (await isPostmasterOf(pid, place.cluster)))) continue;
    // Moved aside and read again before it goes: a server that started between the two steps has written its own.
    const aside = `${file}.stale-${process.pid}`;
    await rename(file, aside).catch(() => {});
    const moved = await readFile(aside, 'utf8').catch(() => undefined);
    if (moved !== undefined && moved !== before) await link(aside, file).catch(() => {});
    await unlink(aside).catch(() => {});
  }
}

/** A fast shutdown: sessions are cut, what is committed is written down. Resolves when the server is gone. */
export async function stopPostmaster(place: Place, child: ChildProcess | undefined): Promise<void> {
  const pid = child?.pid ?? (await findPostmaster(place));
  if (pid === undefined) return;
  const isRunning = async () =>
    child === undefined
      ? await isPostmasterOf(pid, place.cluster)
      : child.exitCode === null && child.signalCode === null;
  if (!(await isRunning())) return;
  sendSignal(pid, 'SIGINT');
  const deadline = performance.now() + fastShutdownMs;
  let isForced = false;
  while (await isRunning()) {
    if (!isForced && performance.now() > deadline) {
      // Loses nothing that was committed; the next start recovers it from the log.
      sendSignal(pid, 'SIGQUIT');
      isForced = true;
    }
    await delay(20);
  }
}

/** The end of the server's own log, for a message about why it did not start. */
export async function readLogTail(place: Place): Promise<string> {
  const text = await readFile(place.logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-12).join('\n');
}

// A server's working directory is its cluster, which tells it from any other process that inherited its id.
async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const [cwd, home] = await Promise.all([
      readlink(`/proc/${pid}/cwd`).catch(() => undefined),
      realpath(cluster).catch(() => cluster),
    ]);
    return cwd === home;
  }
  const listing = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command=']).catch(() => ({ stdout: '' }));
  return listing.stdout.includes('postgres') && listing.stdout.includes(cluster);
}

async function readPid(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : undefined;
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
