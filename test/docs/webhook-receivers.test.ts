// The receivers of the guide on webhooks take what the service sends, and nothing that it did not sign.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';
import { checkout } from '../support/service-process.js';
import { until } from '../support/until.js';

const receivers = [
  { name: 'Node', program: process.execPath, file: 'receiver.mjs' },
  { name: 'Python', program: 'python3', file: 'receiver.py' },
];

function isMissing(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
}

let service: Service;
let customer: ServiceCustomer;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' } });
  customer = await service.addCustomer();
});
afterAll(() => service.stop());

interface Running {
  readonly port: number;
  readonly lines: readonly string[];
  end(): Promise<void>;
}

async function run(program: string, file: string, secret: string, port = 0): Promise<Running> {
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) };
  const options = { env, stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'] };
  const child: ChildProcess = spawn(program, [join(checkout, 'docs/webhooks', file)], options);
  const lines: string[] = [];
  if (child.stdout === null) throw new Error('the receiver has no output');
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await until(() => lines.length > 0);
  return {
    port: Number(/\d+$/.exec(lines[0] ?? '')?.[0]),
    lines,
    async end() {
      child.kill();
      await once(child, 'close');
    },
  };
}

describe.each(receivers)('in $name', ({ program, file }) => {
  it.skipIf(isMissing(program))('takes receipts, and refuses what another secret signed', async () => {
    const stranger = await run(program, file, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDGtTSQ4DN5Nw=');
    const url = `http://127.0.0.1:${stranger.port}/`;
    const { webhook_no, secret } = await customer.client.createWebhook({ url, events: ['receipts'] });
    expect(await customer.client.testWebhook(webhook_no)).toMatchObject({ status: 400 });
    await stranger.end();
    const receiver = await run(program, file, secret, stranger.port);
    expect(await customer.client.testWebhook(webhook_no)).toMatchObject({ status: 204 });
    await customer.client.rotateWebhook(webhook_no);
    await customer.completed((await customer.send(['13800138000', '13800138001'])).task_no);
    await until(
      () => `receipts among ${receiver.lines.join('\n')}`,
      () => receiver.lines.some((line) => line.includes(' receipts ')),
    );
    await receiver.end();
    await customer.client.deleteWebhook(webhook_no);
  });
});
