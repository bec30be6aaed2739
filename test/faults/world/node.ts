// One process of the service in a campaign, with a network of its own between it and the database.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.js';
import { checkout } from '../../support/service-process.js';
import { type SpawnedService, spawnService } from '../../support/spawned.js';
import type { History } from '../history.js';
import type { DatabaseServer } from './database-server.js';

export interface ServiceNode {
  readonly name: string;
  readonly roles: string;
  readonly proxy: TcpProxy;
  /** Where it answers, or did when it last ran. */
  url(): string;
  pid(): number | undefined;
  isAwake(): boolean;
  /** Ends it at once. */
  kill(): Promise<void>;
  /** Starts it again in the background, as often as it takes. */
  restart(skewMs?: number): void;
  pause(): void;
  resume(): void;
  /** Resolves when it runs. */
  ready(): Promise<void>;
  log(): string;
  close(): Promise<void>;
}

export interface NodeOptions {
  readonly name: string;
  readonly roles: string;
  readonly database: DatabaseServer;
  readonly history: History;
  readonly root?: string;
  readonly env: Readonly<Record<string, string>>;
}

const RETRY_MS = 300;

export async function startNode(options: NodeOptions): Promise<ServiceNode> {
  const { name, roles, database, history } = options;
  const { host, port, username, database: databaseName } = database.address;
  const proxy = await startTcpProxy({ path: `${host}/.s.PGSQL.${port}` });
  const databaseUrl = `postgres://${username}@127.0.0.1:${proxy.port}/${databaseName}`;
  let service: SpawnedService | undefined;
  let starting: Promise<void> = Promise.resolve();
  let isPaused = false;
  let isClosed = false;
  let url = '';
  const pastLogs: string[] = [];

  const watch = (spawned: SpawnedService): void => {
    const startMs = history.nowMs();
    spawned.child.once('exit', () => {
      if (service !== spawned) return;
      service = undefined;
      pastLogs.push(spawned.log());
      history.add({ kind: 'death', node: name, startMs, endMs: history.nowMs(), log: spawned.log().slice(-2000) });
      restart();
    });
  };

  const start = async (skewMs: number): Promise<void> => {
    while (!isClosed && service === undefined) {
      const skew = { NODE_OPTIONS: `--import=${preload}`, SKEW_MS: String(skewMs) };
      const env = { ...options.env, ...(skewMs === 0 ? {} : skew) };
      const root = options.root === undefined ? {} : { root: options.root };
      try {
        // A database that is away while it starts is a reason to end for a process, and none for the campaign.
        service = await spawnService({ databaseUrl, roles, env, ...root });
        url = service.url;
        watch(service);
      } catch {
        await sleep(RETRY_MS);
      }
    }
  };
  const restart = (skewMs = 0): void => {
    starting = starting.then(() => start(skewMs));
  };
  const kill = async (): Promise<void> => {
    await starting;
    const killed = service;
    service = undefined;
    isPaused = false;
    if (killed === undefined) return;
    await killed.end('SIGKILL');
    pastLogs.push(killed.log());
  };

  restart();
  await starting;
  return {
    name,
    roles,
    proxy,
    url: () => url,
    pid: () => service?.child.pid,
    isAwake: () => service !== undefined && !isPaused,
    kill,
    restart,
    pause() {
      isPaused = true;
      service?.signal('SIGSTOP');
    },
    resume() {
      service?.signal('SIGCONT');
      isPaused = false;
    },
    ready: () => starting,
    log: () => [...pastLogs.slice(-3), service?.log() ?? ''].join('\n--- started again ---\n'),
    async close() {
      isClosed = true;
      proxy.forward();
      await kill();
      await proxy.close();
    },
  };
}

const preload = pathToFileURL(join(checkout, 'test/faults/world/skewed-clock.mjs')).href;
