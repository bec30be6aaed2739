// Names are looked up over sockets of their own, once for all that ask, for a short time, and no longer than a caller waits.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createNameLookup } from '../../src/outbound/name-lookup.js';
import { resolveByDns } from '../../src/outbound/resolve-name.js';
import { type NameServer, startNameServer } from '../support/network/name-server.js';
import { until } from '../support/until.js';

const ADDRESS = { address: '203.0.113.1', family: 4 };
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function startServer(): Promise<NameServer> {
  const server = await startNameServer({
    names: { 'hooks.test': ADDRESS.address },
    isSilent: (name) => name.startsWith('silent'),
  });
  closers.push(server.stop);
  return server;
}

const never = new AbortController().signal;

it('a name is asked for once for all callers, and again when its time is over', async () => {
  const server = await startServer();
  const lookUp = createNameLookup(resolveByDns({ servers: [server.address] }), { ttlMs: 60_000 });
  expect(await Promise.all([lookUp('hooks.test', never), lookUp('hooks.test', never)])).toEqual([[ADDRESS], [ADDRESS]]);
  expect(await lookUp('hooks.test', never)).toEqual([ADDRESS]);
  expect(server.asked).toEqual(['hooks.test']);
  const forgetful = createNameLookup(resolveByDns({ servers: [server.address] }), { ttlMs: 0 });
  await forgetful('hooks.test', never);
  await forgetful('hooks.test', never);
  expect(server.asked).toHaveLength(3);
});

it('an unknown name is not found, and is asked for again', async () => {
  const server = await startServer();
  const lookUp = createNameLookup(resolveByDns({ servers: [server.address] }));
  for (let tries = 0; tries < 2; tries += 1)
    await expect(lookUp('unknown.test', never)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect(server.asked).toEqual(['unknown.test', 'unknown.test']);
});

it('names that are never answered hold up no other name, however many they are', async () => {
  const server = await startServer();
  const lookUp = createNameLookup(resolveByDns({ servers: [server.address] }), { timeoutMs: 1000 });
  const silent = Array.from({ length: 50 }, (_, at) => lookUp(`silent-${at}.test`, never).catch((error) => error.code));
  await until('all were asked for', () => server.asked.length >= 50);
  const first = await Promise.race([lookUp('hooks.test', never), ...silent]);
  expect(first).toEqual([ADDRESS]);
  expect(new Set(await Promise.all(silent))).toEqual(new Set(['EAI_AGAIN']));
});

it('a query ends with its last caller, and the next caller starts another', async () => {
  const cancelled: string[] = [];
  const lookUp = createNameLookup((host, signal) => {
    signal.addEventListener('abort', () => cancelled.push(host));
    return new Promise(() => {});
  });
  const [first, second] = [new AbortController(), new AbortController()];
  const both = [lookUp('silent.test', first.signal), lookUp('silent.test', second.signal)];
  first.abort();
  await expect(both[0]).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  expect(cancelled).toEqual([]);
  second.abort();
  await expect(both[1]).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  expect(cancelled).toEqual(['silent.test']);
  const third = new AbortController();
  const again = lookUp('silent.test', third.signal);
  third.abort();
  await expect(again).rejects.toThrow();
  expect(cancelled).toHaveLength(2);
});

it('names of the hosts file and localhost need no server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-hosts-'));
  closers.push(() => rm(folder, { recursive: true }));
  const hostsFile = join(folder, 'hosts');
  await writeFile(
    hostsFile,
    '# comment\n10.1.2.3\treceiver  Other.Name # of a container\n::1 receiver\nnonsense receiver\n',
  );
  const resolve = resolveByDns({ servers: ['127.0.0.1:9'], hostsFile });
  expect(await resolve('other.name', never)).toEqual([{ address: '10.1.2.3', family: 4 }]);
  expect(await resolve('receiver', never)).toHaveLength(2);
  expect(await resolve('localhost', never)).toContainEqual({ address: '127.0.0.1', family: 4 });
});
