// A service of its own for a measurement: a real process on a new, durable embedded database, with one customer.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorClient, PostriderClient } from '@postrider/client';

export interface BenchCustomer {
  readonly client: PostriderClient;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly templateNo: string;
}

export interface BenchService {
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  addCustomer(channel: { readonly kind: 'simulator' | 'smpp'; readonly config: object }): Promise<BenchCustomer>;
  stop(): Promise<void>;
}

export async function startBenchService(): Promise<BenchService> {
  const folder = await makeBenchFolder();
  const dataDir = join(folder, 'data');
  const port = await findFreePort();
  const env = { ...process.env, POSTRIDER_DATA_DIR: dataDir, POSTRIDER_PORT: String(port), POSTRIDER_DEMO: 'off' };
  const child = spawn(process.execPath, [fileURLToPath(new URL('../main.js', import.meta.url))], {
    env: { ...env, POSTRIDER_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(url, child);
  const token = (await readFile(join(dataDir, 'operator-token'), 'utf8')).trim();
  const operator = new OperatorClient({ baseUrl: url, token });
  await operator.createFirm({ firm: 'bench', name: 'Bench', prefixes: [] });
  return {
    url,
    dataDir,
    pid: child.pid ?? 0,
    addCustomer: (channel) => addCustomer(operator, url, channel),
    async stop() {
      const exited = once(child, 'exit');
      if (child.exitCode === null && child.kill('SIGTERM')) await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** As root the database server runs as another user, who must be able to pass through. */
export async function makeBenchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-bench-'));
  await chmod(folder, 0o711);
  return folder;
}

async function addCustomer(
  operator: OperatorClient,
  url: string,
  channel: { readonly kind: 'simulator' | 'smpp'; readonly config: object },
): Promise<BenchCustomer> {
  const config = { ...channel.config };
  const { channel_no } = await operator.createChannel({ name: 'Bench', kind: channel.kind, firms: ['bench'], config });
  const terms = { unit_price: '0.05', requests_per_second: 1_000_000 };
  const { customer_no } = await operator.createCustomer({ name: 'Bench', ...terms });
  await operator.grantChannel(customer_no, channel_no);
  const { api_key: apiKey, api_secret: apiSecret } = await operator.createCredential(customer_no, {});
  const account = await operator.createServiceAccount(customer_no, { name: 'Bench', sender: '1069' });
  const body = 'Hello {p1}, your parcel is on its way and arrives today.';
  const { service_account_no } = account;
  const { template_no } = await operator.createTemplate(customer_no, { name: 'Bench', body, service_account_no });
  await operator.topUp(customer_no, { amount: '1000000', remark: 'Bench', reference: 'bench' });
  const client = new PostriderClient({ baseUrl: url, apiKey, apiSecret });
  return { client, apiKey, apiSecret, templateNo: template_no };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('the service ended before it was ready');
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
