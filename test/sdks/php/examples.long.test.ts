// The examples of the PHP SDK and those of its README as a stranger would run them: in an empty project that composer has
// installed the package into, against a live service.

import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { findMissing, version } from '../toolchain.js';
import { missingPhp, phpFolder } from './php.js';

const missing = missingPhp ?? findMissing({ composer: ['composer', '--version'] });
const title = `package and examples of the SDK for PHP${missing ? ` (not tried: no ${missing} here)` : ''}`;
const PSR = '/usr/share/php/Psr/Http';

describe.skipIf(missing !== undefined)(title, () => {
  let service: Service;
  let customer: ServiceCustomer;
  let folder: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-php-'));
    env = { ...process.env, COMPOSER_HOME: folder, COMPOSER_ALLOW_SUPERUSER: '1', COMPOSER_DISABLE_NETWORK: '1' };
    await installPackage();
    service = await startService();
    customer = await service.addCustomer({ body: 'Hello {p1}' });
    const key = await service.operator.createCredential(customer.customerNo);
    env = {
      ...process.env,
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
    return (await promisify(execFile)(program, words, { cwd: folder, env })).stdout.trim();
  }

  /** Built as a registry would, and installed from that; the interfaces are those of Debian. No registry is asked. */
  async function installPackage(): Promise<void> {
    await run('composer', 'archive', '-d', phpFolder, '--format=tar', `--dir=${folder}`, '--file=postrider');
    const described = JSON.parse(await readFile(join(phpFolder, 'composer.json'), 'utf8'));
    const psr = (name: string, namespace: string, release: string) => ({
      name: `psr/${name}`,
      version: release,
      dist: { type: 'path', url: join(PSR, namespace) },
      autoload: { 'psr-4': { [`Psr\\Http\\${namespace}\\`]: '' } },
    });
    const packages = [
      { ...described, version, dist: { type: 'tar', url: join(folder, 'postrider.tar') } },
      psr('http-message', 'Message', '1.0.1'),
      psr('http-client', 'Client', '1.0.1'),
    ].map((one) => ({ type: 'package', package: one }));
    const project = { repositories: [{ packagist: false }, ...packages], require: { 'postrider/postrider': version } };
    await writeFile(join(folder, 'composer.json'), JSON.stringify(project));
    await run('composer', 'install', '--no-interaction', '--no-progress', '--quiet');
  }

  async function runExample(name: string, ...words: string[]): Promise<string> {
    await copyFile(join(folder, 'vendor/postrider/postrider/examples', name), join(folder, name));
    return run('php', '-d', 'error_reporting=-1', '-d', 'display_errors=1', name, ...words);
  }

  test('composer finds nothing wrong with the package', async () => {
    await run('composer', 'validate', '--strict', '--no-check-lock', join(phpFolder, 'composer.json'));
  });

  test('send.php sends a message and shows its receipt', async () => {
    expect(await runExample('send.php', '13800139002')).toMatch(/^T\w+ 13800139002 undelivered UNDELIV 0\.050000$/);
  });

  test('campaign.php sends to a file of numbers, writes the receipts, and sends nothing twice', async () => {
    await writeFile(join(folder, 'numbers.txt'), '13800139001\n13800139002\n');
    for (const _ of [1, 2]) {
      const output = await runExample('campaign.php', 'php-campaign', 'numbers.txt', 'receipts.csv');
      expect(output).toContain('2 receipts, 1 delivered, charged 0.100000');
    }
    expect((await readFile(join(folder, 'receipts.csv'), 'utf8')).trim().split('\n')).toHaveLength(3);
    expect((await customer.client.batch('php-campaign')).counts.total).toBe(2);
  });

  test('webhook.php takes what is genuine and refuses what is not', async () => {
    const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    await copyFile(join(folder, 'vendor/postrider/postrider/examples/webhook.php'), join(folder, 'webhook.php'));
    const url = `127.0.0.1:${await findPort()}`;
    const child = spawn('php', ['-S', url, 'webhook.php'], {
      cwd: folder,
      env: { ...env, WEBHOOK_SECRET: secret },
      stdio: 'pipe',
    });
    let told = '';
    child.stderr.on('data', (piece) => {
      told += piece;
    });
    try {
      await until(() => told.includes('started'));
      const receipt = { phone: '13800138000', result: 'delivered', charged: '0.050000' };
      const body = JSON.stringify({
        type: 'receipts',
        timestamp: '2026-11-15T00:00:00.000Z',
        data: { items: [receipt] },
      });
      const timestamp = String(Math.floor(Date.now() / 1000));
      const hmac = createHmac('sha256', '0123456789abcdef0123456789abcdef').update(`msg_1.${timestamp}.${body}`);
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${hmac.digest('base64')}`,
      };
      const post = async (text: string) =>
        (await fetch(`http://${url}/`, { method: 'POST', headers, body: text })).status;
      expect(await post(body)).toBe(204);
      expect(await post(`${body} `)).toBe(400);
      await until(() => told.includes('msg_1 13800138000 delivered 0.050000'));
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });

  test('the first example of the README runs as it stands, and so do all others behind it', async () => {
    const readme = await readFile(join(phpFolder, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/```php\n(.*?)```/gs)].map(([, code = '']) => code);
    expect(blocks.length).toBeGreaterThan(4);
    expect(blocks[0]?.trim().split('\n').length).toBeLessThanOrEqual(10);
    await writeFile(join(folder, 'first.php'), (blocks[0] ?? '').replace('http://127.0.0.1:8080', service.url));
    expect(await run('php', 'first.php')).toBe('13800139001 delivered 0.050000');
    // The others go on from it.
    const given = `<?php
require 'vendor/autoload.php';
use Postrider\\Client;
$templateNo = getenv('POSTRIDER_TEMPLATE_NO');
$client = new Client('${service.url}', getenv('POSTRIDER_API_KEY'), getenv('POSTRIDER_API_SECRET'));
file_put_contents('numbers.txt', "13800139001\\n13800139002\\n");
`;
    const end = `echo receive('whsec_MDEy', [], ''), " $rows\\n";`;
    await writeFile(join(folder, 'rest.php'), `${given}${blocks.slice(1).join('\n')}\n${end}`);
    expect(await run('php', '-d', 'error_reporting=-1', '-d', 'display_errors=1', 'rest.php')).toMatch(/^2 2\n400 \d$/);
  });
});

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
