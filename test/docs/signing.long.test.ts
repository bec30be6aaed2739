// The signing examples of the documentation, run as a reader would run them: against the vectors of the contract, and against
// a live service. A language whose interpreter is not on this machine is skipped, and the report says so.

import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../packages/client/src/verify-webhook.js';
import { findMissing, type Probe } from '../sdks/toolchain.js';
import { type ServiceCustomer, startService } from '../support/service.js';
import { checkout } from '../support/service-process.js';
import { findBlocks, readPage } from './pages.js';

interface Language {
  readonly name: string;
  /** Programs that must be there, each with arguments that make it say its version. */
  readonly needs: Readonly<Record<string, Probe>>;
  readonly command: readonly [string, ...string[]];
}

const folder = join(checkout, 'docs/signing');
const compiled = mkdtempSync(join(tmpdir(), 'postrider-signing-'));

const languages: readonly Language[] = [
  {
    name: 'curl',
    needs: { bash: ['bash', '--version'], curl: ['curl', '--version'], openssl: ['openssl', 'version'] },
    command: ['bash', join(folder, 'send.sh')],
  },
  { name: 'TypeScript', needs: {}, command: [process.execPath, join(compiled, 'send.mjs')] },
  { name: 'JavaScript', needs: {}, command: [process.execPath, join(folder, 'send.mjs')] },
  { name: 'Python', needs: { python3: ['python3', '--version'] }, command: ['python3', join(folder, 'send.py')] },
  { name: 'Java', needs: { java: ['java', '--version'] }, command: ['java', join(folder, 'Send.java')] },
  { name: 'Go', needs: { go: ['go', 'version'] }, command: ['go', 'run', join(folder, 'send.go')] },
  { name: 'PHP', needs: { php: ['php', '--version'] }, command: ['php', join(folder, 'send.php')] },
];

async function run({ command: [program, ...words] }: Language, argument?: string, env = {}): Promise<string> {
  const all = argument === undefined ? words : [...words, argument];
  const { stdout } = await promisify(execFile)(program, all, { env: { ...process.env, ...env } });
  return stdout;
}

/** As the page shows them, in the order in which the programs print them. */
function readVectors(): string[] {
  const page = readFileSync(join(folder, 'README.md'), 'utf8');
  return [...page.matchAll(/`([0-9a-f]{64})`/g)].map(([, signature = '']) => signature);
}

describe('the signing examples', () => {
  let service: Awaited<ReturnType<typeof startService>>;
  let customer: ServiceCustomer;
  let env: Record<string, string>;

  beforeAll(async () => {
    // The Node this project supports runs no TypeScript by itself, so the example is compiled, which also checks its types.
    const options = ['--target', 'es2022', '--module', 'nodenext', '--strict', '--types', 'node', '--outDir', compiled];
    const compiler = join(checkout, 'node_modules/.bin/tsc');
    await promisify(execFile)(compiler, ['--ignoreConfig', ...options, join(folder, 'send.ts')], { cwd: checkout });
    renameSync(join(compiled, 'send.js'), join(compiled, 'send.mjs'));
    service = await startService();
    customer = await service.addCustomer({ body: 'Hello {p1}' });
    const credential = await service.operator.createCredential(customer.customerNo);
    env = {
      POSTRIDER_URL: service.url,
      POSTRIDER_API_KEY: credential.api_key,
      POSTRIDER_API_SECRET: credential.api_secret,
      POSTRIDER_TEMPLATE_NO: customer.templateNo,
    };
  });
  afterAll(async () => {
    await service.stop();
    rmSync(compiled, { recursive: true, force: true });
  });

  it('shows the two vectors of the contract, and that of the conformance suite', () => {
    expect(readVectors()).toEqual([
      'bc6e94edc2c845ce7933892f66b007900f6d69ce9aaf6865b014260cb02f290f',
      'b91ba3e84039fca5f35861cd5a4eff2b54c218345a0c4ef72f3d042aff8902cc',
      'c4c8dc9476ac6284f823e0662abb11f08964be11de62a764995c9c426961acd2',
    ]);
  });

  it('shows what is signed for the second vector', async () => {
    const signed = findBlocks(readPage('docs/signing/README.md')).find(({ text }) => text.startsWith('POST\n/openapi'));
    const hmac = createHmac('sha256', 'sk_test_0123456789abcdef').update(signed?.text.trimEnd() ?? '');
    expect(hmac.digest('hex')).toBe(readVectors()[1]);
  });

  it('shows a call to a webhook that is genuine', async () => {
    const page = readPage('docs/signing/README.md');
    const call = findBlocks(page).find(({ text }) => text.startsWith('webhook-id'))?.text ?? '';
    const [head = '', body = ''] = call.trimEnd().split('\n\n');
    const headers = Object.fromEntries(head.split('\n').map((line) => line.split(': ')));
    const secret = /`(whsec_[^`]+)`/.exec(page.text.slice(page.text.indexOf('This call is genuine')))?.[1] ?? '';
    const now = () => Number(headers['webhook-timestamp']) * 1000;
    expect((await verifyWebhook(secret, { headers, body }, { now })).message.type).toBe('test');
    await expect(verifyWebhook(secret, { headers, body: `${body} ` }, { now })).rejects.toThrow(
      WebhookVerificationError,
    );
  });

  it('says how many cases the conformance suite has', () => {
    const folderOfCases = join(checkout, 'sdks/conformance/cases');
    const cases = readdirSync(folderOfCases).flatMap((name) =>
      JSON.parse(readFileSync(join(folderOfCases, name), 'utf8')),
    );
    for (const path of ['docs/signing/README.md', 'docs/zh/signing/README.md'])
      expect(readPage(path).text, path).toMatch(new RegExp(`\\b${cases.length} (cases|个用例)`));
  });

  it('are the same in JavaScript as in TypeScript', () => {
    const read = (path: string) => readFileSync(path, 'utf8').replaceAll(/^\/\/.*$|[\s,;]/gm, '');
    expect(read(join(folder, 'send.mjs'))).toBe(read(join(compiled, 'send.mjs')));
  });

  describe.each(languages)('in $name', (language) => {
    const missing = findMissing(language.needs);
    if (missing !== undefined) process.stdout.write(`${language.name} is not tried: no ${missing} on this machine\n`);

    it('signs the vectors', async (context) => {
      if (missing !== undefined) context.skip(`${missing} is not on this machine`);
      expect((await run(language, '--vectors')).trim().split('\n')).toEqual(readVectors().slice(0, 2));
    });

    it('shows how it is called when no number is given, and sends nothing', async (context) => {
      if (missing !== undefined) context.skip(`${missing} is not on this machine`);
      const before = (await customer.client.tasks().page()).total;
      await expect(run(language, undefined, env)).rejects.toMatchObject({ stderr: expect.stringContaining('Usage: ') });
      expect((await customer.client.tasks().page()).total).toBe(before);
    });

    it('sends a message and shows its receipt', async (context) => {
      if (missing !== undefined) context.skip(`${missing} is not on this machine`);
      const output = await run(language, '13800139002', env);
      const [taskNo = '', ...rest] = output.trim().split(' ');
      expect(rest).toEqual(['13800139002', 'undelivered', 'UNDELIV']);
      expect((await customer.client.task(taskNo)).counts.undelivered).toBe(1);
    });

    it('shows the problem when the secret is wrong', async (context) => {
      if (missing !== undefined) context.skip(`${missing} is not on this machine`);
      const wrong = { ...env, POSTRIDER_API_SECRET: 'sk_wrong' };
      await expect(run(language, '13800139002', wrong)).rejects.toMatchObject({
        stderr: expect.stringContaining('invalid_signature'),
      });
    });
  });
});
