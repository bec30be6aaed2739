import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { LineLog } from '../../domain/log.js';
import { createDataFolder } from '../data-folder.js';
import { type Binaries, prepareBinaries, removeOldCopies } from './binaries.js';
import { checkClusterVersion, createCluster, removeUnfinishedClusters, writeSettings } from './cluster.js';
import { chooseDatabaseUser, type DatabaseUser } from './database-user.js';
import { databaseOwner, type ExclusiveSession, openExclusiveSession } from './exclusive-session.js';
import { choosePlace, locateCluster, type Place, socketPort } from './place.js';
import { findPostmaster, readLogTail, removeStaleLockFiles, spawnPostmaster, stopPostmaster } from './postmaster.js';

/** How to reach a database of the embedded server: fields that postgres.js takes as they are. */
export interface EmbeddedAddress {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly database: string;
}

export interface EmbeddedPostgres {
  readonly address: EmbeddedAddress;
  /** True if the server of an earlier service was still running and is reused. */
  readonly isAttached: boolean;
  /** Another database of the same server. */
  addressOf(database: string): EmbeddedAddress;
  /** Stops the server. Resolves when it is gone, also when called again. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: LineLog;
  readonly signal?: AbortSignal;
  /** Called once when the server ends unexpectedly, or another service took the data folder. */
  readonly onFailure?: (error: Error) => void;
  /** False only for a throw-away server of tests, where speed matters and the data does not. */
  readonly durable?: boolean;
  /** How many processes of the service connect; one when omitted. */
  readonly serviceProcesses?: number;
}

const databaseName = 'postrider';
const silenceLimitMs = 15_000;
const startAttempts = 20;
const pollMs = 25;

/** Starts the database server of this data folder, or attaches to it where it still runs, for this service alone. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log } = options;
  await createDataFolder(dataDir);
  const user = await chooseDatabaseUser(await locateCluster(dataDir));
  const place = await choosePlace(dataDir, user, log);
  const binaries = await prepareBinaries(place.directory, user, log);
  await checkClusterVersion(place.cluster, binaries.major);
  await createCluster(place, binaries, user, log);

  const server = { options, place, binaries, user };
  const { session, child } = await bringUp(server);
  try {
    await removeUnfinishedClusters(place);
    if (child !== undefined) await removeOldCopies(place.directory, binaries);
    else log.info(`Using the database server that an earlier service left running on ${dataDir}`);
    await createDatabase(session);
  } catch (error) {
    await stopPostmaster(place, child);
    await session.end();
    throw error;
  }
  return superviseServer(server, session, child);
}

interface Server {
  readonly options: EmbeddedPostgresOptions;
  readonly place: Place;
  readonly binaries: Binaries;
  readonly user: DatabaseUser;
}

interface RunningServer {
  readonly session: ExclusiveSession;
  /** Absent when the server was not started by us. */
  readonly child: ChildProcess | undefined;
}

// The order matters: connects to the socket first, and starts a server only if none answers. Two services that start at once both get
// here; PostgreSQL's lock file allows one server, and both connect to it.
async function bringUp(server: Server): Promise<RunningServer> {
  const { options, place } = server;
  let child: ChildProcess | undefined;
  let attempts = 0;
  let silentSince = performance.now();
  let loggedAt = performance.now();
  try {
    for (;;) {
      options.signal?.throwIfAborted();
      const outcome = await openExclusiveSession(place, options.dataDir);
      if (outcome.kind === 'open') return { session: outcome.session, child: isRunning(child) ? child : undefined };
      if (outcome.kind === 'not_ready') silentSince = performance.now();
      if (outcome.kind === 'absent' && !isRunning(child) && (await findPostmaster(place)) === undefined) {
        if (attempts > 0) await checkWorthRetrying(place, attempts);
        attempts += 1;
        child = await startServer(server);
        silentSince = performance.now();
      }
      if (performance.now() - silentSince > silenceLimitMs && !isRunning(child)) {
        throw new Error(
          `A PostgreSQL server runs on ${place.cluster}, and does not answer in ${place.socketDirectory}.`,
        );
      }
      if (performance.now() - loggedAt > 5_000) {
        loggedAt = performance.now();
        options.log.info(`Waiting for the database (${outcome.kind === 'not_ready' ? outcome.reason : 'starting'})`);
      }
      await delay(pollMs);
    }
  } catch (error) {
    if (isRunning(child)) await stopPostmaster(place, child);
    throw error;
  }
}

// The processes of a server that was killed may need a moment to go, and a lock file may be another's a moment longer.
// Other errors, such as a wrong setting or a full disk, are permanent.
async function checkWorthRetrying(place: Place, attempts: number): Promise<void> {
  const tail = await readLogTail(place);
  if (attempts === startAttempts || !/still in use|lock file .* already exists/.test(tail)) {
    throw new Error(`The database did not start:\n${tail}`);
  }
  await delay(attempts * pollMs);
}

async function startServer({ options, place, binaries, user }: Server): Promise<ChildProcess> {
  await removeStaleLockFiles(place);
  const { durable = true, serviceProcesses = 1 } = options;
  await writeSettings(place.cluster, user, { durable, serviceProcesses });
  return spawnPostmaster(binaries, place, user);
}

async function createDatabase(session: ExclusiveSession): Promise<void> {
  const found = await session.query(`select 1 from pg_database where datname = '${databaseName}'`);
  if (found.length === 0) await session.query(`create database ${databaseName}`);
}

function superviseServer(server: Server, first: ExclusiveSession, child: ChildProcess | undefined): EmbeddedPostgres {
  const { options, place } = server;
  let session = first;
  let stopped: Promise<void> | undefined;

  const watch = async () => {
    for (;;) {
      await session.closed;
      if (stopped !== undefined) return;
      // A crash of one backend makes the server end all sessions and recover; this session is then opened again.
      session = await reopenSession(server, child);
      if (stopped !== undefined) await session.end();
    }
  };
  watch().catch((error: Error) => {
    if (stopped === undefined) options.onFailure?.(error);
  });

  // The lock goes with the server, never before it: between the two another service would attach to a server on its way out.
  const stopAll = async () => {
    await stopPostmaster(place, child);
    await session.end();
  };
  return {
    address: addressOf(place, databaseName),
    isAttached: child === undefined,
    addressOf: (database) => addressOf(place, database),
    stop: () => {
      stopped ??= stopAll();
      return stopped;
    },
  };
}

async function reopenSession(server: Server, child: ChildProcess | undefined): Promise<ExclusiveSession> {
  const { options, place } = server;
  for (;;) {
    const outcome = await openExclusiveSession(place, options.dataDir);
    if (outcome.kind === 'open') return outcome.session;
    const isGone = child === undefined ? (await findPostmaster(place)) === undefined : !isRunning(child);
    if (outcome.kind === 'absent' && isGone) {
      throw new Error(`The database server has ended by itself:\n${await readLogTail(place)}`);
    }
    await delay(pollMs);
  }
}

function addressOf(place: Place, database: string): EmbeddedAddress {
  return { host: place.socketDirectory, port: socketPort, username: databaseOwner, database };
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}
