// A stop while calls to webhooks and test messages hang: the service gives up on them and takes its database down with it.

import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createChannels, createSender, sendNumbers } from '../support/campaign.js';
import { type Behaviour, hang, type Receiver, startReceiver } from '../support/network/receiver.js';
import { buildCode } from '../support/service-process.js';
import { spawnUnready } from '../support/spawned.js';
import { until } from '../support/until.js';

const closers: (() => Promise<unknown>)[] = [];

beforeAll(buildCode);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const upgrade: Behaviour = ({ socket }) =>
  void socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');

async function receive(behaviour: Behaviour): Promise<Receiver> {
  const receiver = await startReceiver();
  closers.push(() => receiver.kill());
  receiver.behave(behaviour);
  return receiver;
}

test('SIGTERM ends a service whose calls hang, and its embedded database', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-stop-'));
  // As root the database runs as another user, who must be able to pass.
  await chmod(dataDir, 0o755);
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const env = { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8', POSTRIDER_DATA_DIR: dataDir, POSTRIDER_DATABASE_URL: '' };
  const service = spawnUnready({ databaseUrl: '', env });
  closers.push(() => service.end('SIGKILL'));
  const url = (await service.firstLine(/ready on (\S+)/))[1] ?? '';
  const receivers = [await receive(upgrade), await receive(hang)];
  const config = { answer_ms: 1, receipt_ms: 5, test_numbers: false };
  const channels = await createChannels(url, [{ name: 'Simulator', kind: 'simulator', config }]);
  const sender = await createSender(url, channels, { name: 'Busy' });
  const client = sender.at(url);
  const events = ['receipts', 'task.finished'] as const;
  const webhooks = [];
  for (const receiver of receivers) webhooks.push(await client.createWebhook({ url: receiver.url, events }));
  await sendNumbers(url, sender, { count: 10, taskSize: 5, name: 'few' });
  await until('calls to both', () => receivers.every(({ calls }) => calls.length > 1), 60_000);
  for (const { webhook_no } of webhooks) client.testWebhook(webhook_no).catch(() => undefined);
  await until('test messages', () => receivers.every(({ calls }) => calls.some(({ type }) => type === 'test')), 60_000);
  const lockFile = join(dataDir, 'postgres/postmaster.pid');
  expect(existsSync(lockFile)).toBe(true);
  expect(await service.end('SIGTERM'), service.log()).toBe(0);
  expect(existsSync(lockFile)).toBe(false);
  // Within the time that supervisors grant, and not because the service ran into its own limit.
  expect(service.log()).not.toContain('did not stop');
});
