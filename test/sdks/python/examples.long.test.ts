// The examples of the Python SDK and those of its README, run as a reader would run them: against a live service.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { callWebhook, PRINTED, WEBHOOK_SECRET } from '../webhook-call.js';
import { missingPython, python, pythonEnv, pythonFolder } from './python.js';

const title = `examples of the SDK for Python${missingPython === undefined ? '' : ` (not tried: no ${missingPython} here)`}`;

describe.skipIf(missingPython !== undefined)(title, () => {
  let service: Service;
  let customer: ServiceCustomer;
  let folder: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    service = await startService();
    customer = await service.addCustomer({ body: 'Hello {p1}' });
    folder = await mkdtemp(join(tmpdir(), 'postrider-python-'));
    const key = await service.operator.createCredential(customer.customerNo);
    env = {
      ...process.env,
      ...pythonEnv,
      POSTRIDER_URL: service.url,
      POSTRIDER_API_KEY: key.api_key,
      POSTRIDER_API_SECRET: key.api_secret,
      POSTRIDER_TEMPLATE_NO: customer.templateNo,
    };
  });
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(program: string, ...words: string[]): Promise<string> {
    return (await promisify(execFile)(python, [program, ...words], { cwd: folder, env })).stdout.trim();
  }
  const example = (name: string) => join(pythonFolder, 'examples', name);

  test('send.py sends a message and shows its receipt', async () => {
    const output = await run(example('send.py'), '13800139002');
    expect(output).toMatch(/^T\w+ 13800139002 undelivered UNDELIV 0\.050000$/);
  });

  test('campaign.py sends to a file of numbers, writes the receipts, and sends nothing twice', async () => {
    await writeFile(join(folder, 'numbers.txt'), '13800139001\n13800139002\n');
    for (const _ of [1, 2]) {
      const output = await run(example('campaign.py'), 'python-campaign', 'numbers.txt', 'receipts.csv');
      expect(output).toContain('2 receipts, 1 delivered, charged 0.100000');
    }
    const rows = (await readFile(join(folder, 'receipts.csv'), 'utf8')).trim().split('\n');
    expect(rows).toHaveLength(3);
    expect((await customer.client.batch('python-campaign')).counts.total).toBe(2);
  });

  test('receive_webhooks.py takes what is genuine and refuses what is not', async () => {
    const words = [example('receive_webhooks.py'), '0'];
    const child = spawn(python, words, { cwd: folder, env: { ...env, WEBHOOK_SECRET }, stdio: 'pipe' });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    try {
      const port = /(\d+)$/.exec(String((await lines.next()).value))?.[1];
      expect(await callWebhook(port)).toBe(204);
      expect(await callWebhook(port, ' ')).toBe(400);
      expect((await lines.next()).value).toBe(PRINTED);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });

  test('the first example of the README runs as it stands, and all of them can be compiled', async () => {
    const readme = await readFile(join(pythonFolder, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/```python\n(.*?)```/gs)].map(([, code = '']) => code);
    expect(blocks.length).toBeGreaterThan(5);
    await writeFile(join(folder, 'first.py'), (blocks[0] ?? '').replace('http://127.0.0.1:8080', service.url));
    expect(await run('first.py')).toBe('13800139001 delivered 0.050000');
    // The others go on from it.
    const given = `from decimal import Decimal
import os
from postrider import Client
template_no, webhook_secret = os.environ["POSTRIDER_TEMPLATE_NO"], "whsec_"
api_key, api_secret = os.environ["POSTRIDER_API_KEY"], os.environ["POSTRIDER_API_SECRET"]
client = Client("${service.url}", api_key, api_secret)
open("numbers.txt", "w").write("13800139001\\n13800139002\\n")
`;
    const rest = blocks.slice(1).join('\n').replace('http://127.0.0.1:8080', service.url);
    await writeFile(join(folder, 'rest.py'), given + rest);
    const output = await run('rest.py');
    expect(output).toContain('2 2');
    expect(output).toContain(`${customer.templateNo} Hello {p1}`);
  });
});
