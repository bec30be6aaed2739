// The request examples of the documentation, copied from the page as a reader would and run against the demo. A language whose
// programs are not on this machine is skipped, and its name says so.

import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quoteForShell } from '../../src/service/checkout.js';
import { type Service, startService } from '../support/service.js';
import { buildCode, checkout } from '../support/service-process.js';

interface Language {
  readonly name: string;
  readonly program: string;
  readonly version: string;
  /** The file with the call, and the one that the example is saved as. */
  readonly files: readonly [call: string, example: string];
  readonly run: string;
}

const tsc = quoteForShell(join(checkout, 'node_modules/.bin/tsc'));
const types = `--ignoreConfig --target es2022 --module nodenext --strict --types node --typeRoots ${quoteForShell(join(checkout, 'node_modules/@types'))}`;

const languages: readonly Language[] = [
  { name: 'curl', program: 'openssl', version: 'version', files: ['call.sh', 'example.sh'], run: 'bash example.sh' },
  {
    name: 'TypeScript',
    program: process.execPath,
    version: '--version',
    files: ['call.ts', 'example.ts'],
    // The oldest Node that we support runs no TypeScript by itself.
    run: `echo '{"type":"module"}' > package.json && ${tsc} ${types} --rewriteRelativeImportExtensions example.ts && node example.js`,
  },
  {
    name: 'Python',
    program: 'python3',
    version: '--version',
    files: ['call.py', 'example.py'],
    run: 'python3 example.py',
  },
  { name: 'PHP', program: 'php', version: '--version', files: ['call.php', 'example.php'], run: 'php example.php' },
  {
    name: 'Java',
    program: 'javac',
    version: '-version',
    files: ['Call.java', 'Example.java'],
    run: 'javac Call.java Example.java && java Example',
  },
  { name: 'Go', program: 'go', version: 'version', files: ['call.go', 'example.go'], run: 'go run call.go example.go' },
];

function isMissing({ program, version }: Language): boolean {
  try {
    execFileSync(program, [version], { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
}

/** What the copy button copies. */
function textOf(block: string): string {
  return block
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');
}

function findBlocks(page: string): string[] {
  return [...page.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, block = '']) => textOf(block));
}

describe('the request examples', () => {
  let service: Service;
  let folder: string;
  beforeAll(async () => {
    await buildCode();
    service = await startService({ env: { POSTRIDER_DEMO: 'on' } });
  });
  afterAll(async () => {
    await service?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** The set-up of the page, and the example of one call in one language. */
  async function copy(path: string, id: string, language: string) {
    const page = await (await fetch(`${service.url}${path}`)).text();
    const [setUp = ''] = findBlocks(page);
    const operation = page.slice(page.indexOf(`<h2 id="${id}">`));
    const at = ['curl', 'TypeScript', 'Python', 'Go', 'Java', 'PHP'].indexOf(language);
    return { setUp, example: findBlocks(operation)[at] ?? '' };
  }

  async function follow({ files: [call, example], run, name }: Language, path: string, id: string): Promise<string> {
    folder = await mkdtemp(join(tmpdir(), 'postrider-examples-'));
    const copied = await copy(path, id, name);
    await writeFile(join(folder, call), await (await fetch(`${service.url}/docs/files/signing/${call}`)).text());
    const isShell = name === 'curl';
    await writeFile(join(folder, example), isShell ? `${copied.setUp}\n${copied.example}\n` : copied.example);
    const script = isShell ? run : `${copied.setUp}\n${run}`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
    await rm(folder, { recursive: true });
    return stdout;
  }

  describe.each(languages.map((language) => [language.name, language] as const))('in %s', (_, language) => {
    const missing = isMissing(language);
    const without = missing ? ` (no ${language.program} on this machine)` : '';

    it.skipIf(missing)(`send a message as copied${without}`, async () => {
      const printed = await follow(language, '/docs/api/customer/messages', 'sendMessages');
      expect(printed).toMatch(/task_no/);
      expect(printed).toMatch(/queued|prepared|submitting|waiting_receipt|completed/);
    });

    it.skipIf(missing)(`ask for the account as copied${without}`, async () => {
      const printed = await follow(language, '/docs/api/customer/finance', 'getAccount');
      expect(printed).toMatch(/available/);
    });
  });
});
