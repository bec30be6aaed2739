// The programs of `docs/examples`, which the guides show in six languages: each language runs all of them in one process, as a
// reader would, and prints what the guides say. A language whose programs are not on this machine is skipped, and its name says so.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goEnv, goFolder, missingGo, runGo } from '../sdks/go/go.js';
import { compileJava, missingJava, quickJava, runJavac } from '../sdks/java/java.js';
import { missingPhp, phpFolder } from '../sdks/php/php.js';
import { missingPython, python, pythonEnv } from '../sdks/python/python.js';
import { findMissing } from '../sdks/toolchain.js';
import { callWebhook, PRINTED as PRINTED_BY_RECEIVERS, WEBHOOK_SECRET } from '../sdks/webhook-call.js';
import { type Service, startService } from '../support/service.js';
import { buildCode, checkout } from '../support/service-process.js';
import { readPages } from './pages.js';

/** Only against a tool that hangs: the first build in Go compiles the standard library. */
const TIMEOUT_MS = 600_000;
const examples = join(checkout, 'docs/examples');

/** What a scheduled task waits for: nothing yet while it is being prepared. */
const SEND_AT_OR_NOTHING = /^(send_at|null|None|)$/;

/** In an order in which a later one finds what an earlier one has sent. A line may have what changes from run to run. */
const PRINTED: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  send: ['13800139001 delivered', '13800139002 undelivered'],
  repeat: ['accepted', 'replayed', 'idempotency_conflict'],
  lists: ['1 undelivered in the last hour', '13800139002 UNDELIV'],
  file: [/^2 receipts; the next file continues from [\w-]+$/],
  schedule: [SEND_AT_OR_NOTHING, 'resume', SEND_AT_OR_NOTHING, /^cancelled, 0\.0[05]0000 released$/],
  campaign: ['300 numbers in 3 tasks'],
  preview: ['2 of 3 numbers for 0.100000 CNY', '12345 invalid_number'],
  ledger: ['every entry adds up'],
  unknown: ['13800139005 unknown'],
};
const topics = Object.keys(PRINTED);

interface Language {
  readonly name: string;
  readonly extension: string;
  readonly missing: string | undefined;
  /** Makes one program of all examples, in a folder that has them, and says how to run it. */
  readonly prepare: (folder: string) => Promise<readonly [string, ...string[]]>;
  readonly env?: NodeJS.ProcessEnv;
}

const languages: readonly Language[] = [
  {
    name: 'curl',
    extension: 'sh',
    missing: findMissing({ openssl: ['openssl', 'version'], jq: ['jq', '--version'], curl: ['curl', '--version'] }),
    async prepare(folder) {
      await copyFile(join(checkout, 'docs/signing/call.sh'), join(folder, 'call.sh'));
      const script = `for name in ${topics.join(' ')}; do echo "== $name"; (set -euo pipefail; . ./$name.sh); done`;
      return ['bash', '-c', script];
    },
  },
  {
    name: 'TypeScript',
    extension: 'ts',
    missing: undefined,
    async prepare(folder) {
      await buildCode();
      await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
      // They are JavaScript as well; their types are checked with all others.
      for (const name of topics) await copyFile(join(folder, `${name}.ts`), join(folder, `${name}.mjs`));
      const lines = topics.map((name) => `console.log('== ${name}');\nawait import('./${name}.mjs');`);
      await writeFile(join(folder, 'all.mjs'), lines.join('\n'));
      return [process.execPath, 'all.mjs'];
    },
  },
  {
    name: 'Python',
    extension: 'py',
    missing: missingPython,
    async prepare(folder) {
      const lines = topics.map((name) => `print("== ${name}")\nrunpy.run_path("${name}.py", run_name="__main__")`);
      await writeFile(join(folder, 'all.py'), `import runpy\n${lines.join('\n')}\n`);
      return [python, 'all.py'];
    },
    env: pythonEnv,
  },
  {
    name: 'Go',
    extension: 'go',
    missing: missingGo,
    async prepare(folder) {
      const packages = topics.map((name) => `${name}_example`);
      for (const [index, name] of topics.entries()) {
        const home = join(folder, packages[index] ?? '');
        await mkdir(home);
        const code = await readFile(join(folder, `${name}.go`), 'utf8');
        const exported = code
          .replace('package main', `package ${packages[index]}`)
          .replace('func main()', 'func Main()');
        await writeFile(join(home, 'example.go'), exported);
        await rm(join(folder, `${name}.go`));
      }
      const imports = packages.map((name) => `import "example.com/examples/${name}"`).join('\n');
      const calls = topics.map((name, index) => `println("== ${name}")\n${packages[index]}.Main()`).join('\n');
      await writeFile(
        join(folder, 'main.go'),
        `package main\nimport "fmt"\n${imports}\nfunc main() {\n${calls.replaceAll('println', 'fmt.Println')}\n}\n`,
      );
      const sdk = 'postrider.example/postrider';
      await runGo(['mod', 'init', 'example.com/examples'], folder);
      await runGo(['mod', 'edit', '-require', `${sdk}@v0.0.0`, '-replace', `${sdk}=${goFolder}`], folder);
      return ['go', 'run', '.'];
    },
    env: goEnv,
  },
  {
    name: 'Java',
    extension: 'java',
    missing: missingJava,
    async prepare(folder) {
      const { classes } = compileJava();
      const names = (await readdir(folder)).filter((name) => name.endsWith('.java'));
      const texts = await Promise.all(topics.map((topic) => readdir(join(examples, topic))));
      const calls = texts.map((files, index) => {
        const name = files.find((file) => file.endsWith('.java'))?.replace('.java', '');
        return `System.out.println("== ${topics[index]}");\n${name}.main(words);`;
      });
      const all = `public class All { public static void main(String[] words) throws Exception {\n${calls.join('\n')}\n}}\n`;
      await writeFile(join(folder, 'All.java'), all);
      const sources = [...names, 'All.java'].map((name) => join(folder, name));
      runJavac('-Xlint:-try', '-cp', classes, '-d', folder, ...sources);
      return ['java', ...quickJava, '-cp', `${classes}:${folder}`, 'All'];
    },
  },
  {
    name: 'PHP',
    extension: 'php',
    missing: missingPhp,
    async prepare(folder) {
      await mkdir(join(folder, 'vendor'));
      const autoload = `<?php require_once '${join(phpFolder, 'conformance/autoload.php')}';`;
      await writeFile(join(folder, 'vendor/autoload.php'), autoload);
      const lines = topics.map((name) => `echo "== ${name}\\n"; (function () { require '${name}.php'; })();`);
      await writeFile(join(folder, 'all.php'), `<?php\n${lines.join('\n')}\n`);
      return ['php', '-d', 'error_reporting=-1', '-d', 'display_errors=1', 'all.php'];
    },
  },
];

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

/** Lines by example. */
function cutOutput(output: string): Record<string, string[]> {
  const parts = output.split(/^== /m).slice(1);
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', ...lines] = part.trimEnd().split('\n');
      return [name, name === 'send' ? lines.sort() : lines];
    }),
  );
}

describe.each(languages.map((language) => [language.name, language] as const))('in %s', (_, language) => {
  const without = language.missing === undefined ? '' : ` (no ${language.missing} on this machine)`;

  it.skipIf(language.missing !== undefined)(
    `every example does what the guides say${without}`,
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'postrider-examples-'));
      try {
        for (const topic of topics) {
          const keep = (path: string) => !/\.\w+$/.test(path) || path.endsWith(`.${language.extension}`);
          await cp(join(examples, topic), folder, { recursive: true, filter: keep });
        }
        const [program, ...words] = await language.prepare(folder);
        const customer = await service.addCustomer({ body: 'Hello {p1}' });
        const key = await service.operator.createCredential(customer.customerNo);
        const lost = await customer.send(['13800139005'], { variable_values: { p1: 'Ann' } });
        await customer.taskWhen(lost.task_no, ({ stage }) => stage === 'submit_unknown');
        const env = {
          ...process.env,
          ...language.env,
          POSTRIDER_URL: service.url,
          POSTRIDER_API_KEY: key.api_key,
          POSTRIDER_API_SECRET: key.api_secret,
          POSTRIDER_TEMPLATE_NO: customer.templateNo,
        };
        const { stdout, stderr } = await promisify(execFile)(program, words, { cwd: folder, env });
        const printed = cutOutput(stdout);
        const expected = Object.entries(PRINTED).map(([name, lines]) => [
          name,
          lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
        ]);
        expect(printed, `${stdout}\n${stderr}`).toEqual(Object.fromEntries(expected));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    TIMEOUT_MS,
  );
});

it('what the guides show behind examples is what they print', () => {
  const shown = readPages().flatMap(({ text }) =>
    [...text.matchAll(/^- \[\w+\]\([\w./]*examples\/(\w+)\/[\w.]+\)\n\n```text\n([\s\S]*?)\n```/gm)].map(
      ([, name = '', output = '']) => [name, output.split('\n')] as const,
    ),
  );
  expect(shown.map(([name]) => name)).toContain('send');
  for (const [name, output] of shown) {
    const lines = PRINTED[name] ?? [];
    expect(output, name).toHaveLength(lines.length);
    for (const [index, line] of lines.entries()) {
      if (typeof line === 'string') expect(output[index], name).toBe(line);
      else expect(output[index], name).toMatch(line);
    }
  }
});

it('the receiver of webhooks in TypeScript takes what is genuine and refuses what is not', async () => {
  await buildCode();
  const folder = await mkdtemp(join(tmpdir(), 'postrider-examples-'));
  await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  await copyFile(join(examples, 'webhook/webhook.ts'), join(folder, 'webhook.mjs'));
  const env = { ...process.env, WEBHOOK_SECRET };
  const child = spawn(process.execPath, ['webhook.mjs', '0'], { cwd: folder, env, stdio: 'pipe' });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  try {
    const port = /(\d+)$/.exec(String((await lines.next()).value))?.[1];
    expect(await callWebhook(port)).toBe(204);
    expect(await callWebhook(port, ' ')).toBe(400);
    expect((await lines.next()).value).toBe(PRINTED_BY_RECEIVERS);
  } finally {
    child.kill();
    await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
});
