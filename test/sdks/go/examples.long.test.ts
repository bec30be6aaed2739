// The example of the Go SDK and those of its README, run as a reader would run them: against a live service.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { version } from '../toolchain.js';
import { callWebhook, PRINTED, WEBHOOK_SECRET } from '../webhook-call.js';
import { goFolder, makeFolder, missingGo, runGo } from './go.js';

/** Only against a tool that hangs: the first build compiles the standard library. */
const TIMEOUT_MS = 600_000;
const title = `examples of the SDK for Go${missingGo === undefined ? '' : ` (not tried: no ${missingGo} here)`}`;

const PACKAGES = ['context', 'fmt', 'io', 'log', 'net/http', 'os', 'time'];

/** Blocks that are no functions become a part of one. */
function makeProgram(blocks: readonly string[]): string {
  const functions = blocks.map((block, at) =>
    block.startsWith('func ')
      ? block
      : `func part${at}(ctx context.Context, client *postrider.Client, templateNo string) error {\n${block}return nil\n}\n`,
  );
  const calls = blocks.flatMap((block, at) => (block.startsWith('func ') ? [] : [`part${at}`]));
  const code = `${functions.join('\n')}
func main() {
  client, err := postrider.New(os.Getenv("POSTRIDER_URL"), os.Getenv("POSTRIDER_API_KEY"), os.Getenv("POSTRIDER_API_SECRET"))
  for _, part := range []func(context.Context, *postrider.Client, string) error{${calls.join(', ')}} {
    if err == nil {
      err = part(context.Background(), client, os.Getenv("POSTRIDER_TEMPLATE_NO"))
    }
  }
  fmt.Println(err)
}
`;
  const used = PACKAGES.filter((name) => new RegExp(`\\b${name.replace('net/', '')}\\.`).test(code));
  const imports = [...used, 'postrider.example/postrider'].map((name) => `import "${name}"\n`);
  return `package main\n\n${imports.join('')}\n${code}`;
}

describe.skipIf(missingGo !== undefined)(title, () => {
  const folder = makeFolder();
  let service: Service;
  let customer: ServiceCustomer;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
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
    folder.remove();
  });

  async function run(program: string, ...words: string[]): Promise<string> {
    return (await promisify(execFile)(program, words, { cwd: folder.path, env })).stdout.trim();
  }

  /** A module of its own, as the README says. */
  async function build(name: string, code: string): Promise<string> {
    const home = join(folder.path, name);
    mkdirSync(home);
    await writeFile(join(home, 'main.go'), code);
    const sdk = 'postrider.example/postrider';
    await runGo(['mod', 'init', 'example.com/program'], home);
    await runGo(['mod', 'edit', '-require', `${sdk}@v${version}`, '-replace', `${sdk}=${goFolder}`], home);
    await runGo(['build', '-o', 'program', '.'], home);
    return join(home, 'program');
  }

  test(
    'examples/send sends a message and shows its receipt',
    async () => {
      const program = join(folder.path, 'send');
      await runGo(['build', '-o', program, './examples/send']);
      expect(await run(program, '13800139002')).toMatch(/^T\w+ 13800139002 undelivered UNDELIV 0\.050000$/);
    },
    TIMEOUT_MS,
  );

  test(
    'examples/webhook takes what is genuine and refuses what is not',
    async () => {
      const program = join(folder.path, 'webhook');
      await runGo(['build', '-o', program, './examples/webhook']);
      const child = spawn(program, ['0'], { env: { ...env, WEBHOOK_SECRET }, stdio: 'pipe' });
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
    },
    TIMEOUT_MS,
  );

  test(
    'the examples of the README run as they stand',
    async () => {
      const readme = await readFile(join(goFolder, 'README.md'), 'utf8');
      const blocks = [...readme.matchAll(/```go\n(.*?)```/gs)].map(([, code = '']) => code);
      expect(blocks.length).toBeGreaterThan(4);
      const first = await build('first', (blocks[0] ?? '').replace('http://127.0.0.1:8080', service.url));
      expect(await run(first)).toBe('13800139001 delivered 0.050000');
      const rest = await build('rest', makeProgram(blocks.slice(1)));
      await writeFile(join(folder.path, 'numbers.txt'), '13800139001\n\n13800139002\n');
      // One task of two numbers; what receipts there are then; no error.
      expect(await run(rest)).toMatch(/^1 2\n[012]\n<nil>$/);
      expect((await customer.client.batch('may-campaign')).counts.total).toBe(2);
      expect(await readFile(join(folder.path, 'receipts.csv'), 'utf8')).toContain('task_no');
    },
    TIMEOUT_MS,
  );
});
