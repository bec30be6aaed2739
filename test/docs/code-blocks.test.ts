// Every block of the documentation that can run is run, as a reader would: page by page, in order, in a folder with the
// checkout and a service with the demo. `no-run` behind the language leaves a block out; the text must say why.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { start } from '../../src/app.js';
import { readConfig } from '../../src/service/config.js';
import { ensurePartitions } from '../../src/store/partitions.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildCode, checkout } from '../support/service-process.js';
import { type Document, findFaults } from './answer-shapes.js';
import { type Block, findBlocks, type Page, readPages } from './pages.js';

const RUNNABLE = ['sh', 'bash', 'ts', 'sql'];
/** What a person types first. Starting and testing have tests of their own, and the service of this test stands for the first. */
const TYPED_BY_PEOPLE = ['npm start', 'npm test', 'npm run check', 'npm ci'];

/** The examples of this page have words like CUSTOMER and TASK in them. It is compared with the command table elsewhere. */
const PLACEHOLDERS = 'docs/cli.md';

const runs = (block: Block) =>
  RUNNABLE.includes(block.language) && !block.marks.includes('no-run') && !isTypedByPeople(block);

function isTypedByPeople({ text }: Block): boolean {
  const lines = text.split('\n').map((line) => line.replace(/\s*#.*$/, '').trim());
  return lines.every((line) => line === '' || TYPED_BY_PEOPLE.some((typed) => line === typed));
}

/** A folder like a checkout, with a `data` of its own, and a service with the demo that keeps its data there. */
interface Reader {
  readonly folder: string;
  readonly database: TestDatabase;
  readonly env: NodeJS.ProcessEnv;
  readonly replacements: readonly (readonly [string, string])[];
  leave(): Promise<void>;
}

async function sitDown(): Promise<Reader> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-docs-'));
  for (const name of await readdir(checkout)) {
    if (!name.startsWith('.git') && name !== 'data') await symlink(join(checkout, name), join(folder, name));
  }
  await mkdir(join(folder, 'data'));
  const database = await createTestDatabase();
  const config = readConfig({
    POSTRIDER_DATABASE_URL: database.url,
    POSTRIDER_DATA_DIR: join(folder, 'data'),
    POSTRIDER_PORT: '0',
    POSTRIDER_DEMO: 'on',
  });
  const running = await start(config, { log: pino({ level: 'silent' }), onFailure: () => {} });
  // The month that the page on production drops, full of nothing.
  await ensurePartitions(database.sql, new Date('2025-01-15T00:00:00Z'));
  // Whoever runs the tests may have settings and profiles of their own.
  const plain = Object.entries(process.env).filter(([name]) => !name.startsWith('POSTRIDER_'));
  const env = {
    ...Object.fromEntries(plain),
    POSTRIDER_DATABASE_URL: database.url,
    // The folder is made of links, and the program behind them finds the data folder of the real checkout.
    POSTRIDER_DATA_DIR: join(folder, 'data'),
    XDG_CONFIG_HOME: folder,
    NO_COLOR: '1',
  };
  return {
    folder,
    database,
    env,
    replacements: [
      ['http://127.0.0.1:8080', running.url],
      ['2775', String(await findFreePort())],
    ],
    async leave() {
      await running.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** What one block of a page does, as lines of bash. SQL and TypeScript are run by programs that these lines call. */
async function toShell(reader: Reader, block: Block, index: number): Promise<string> {
  let { text } = block;
  for (const [from, to] of reader.replacements) text = text.replaceAll(from, to);
  if (block.language !== 'ts') return text;
  await writeFile(join(reader.folder, `block-${index}.mts`), text);
  const options = ['--ignoreConfig', '--target', 'es2022', '--module', 'nodenext', '--strict', '--types', 'node'];
  await promisify(execFile)(join(checkout, 'node_modules/.bin/tsc'), [...options, `block-${index}.mts`], {
    cwd: reader.folder,
  }).catch((error: { stdout: string }) => {
    throw new Error(`the TypeScript at line ${block.line} does not compile:\n${error.stdout}`);
  });
  const demo = JSON.parse(await readFile(join(reader.folder, 'data/demo.json'), 'utf8')) as Record<string, string>;
  const settings = ['url', 'api_key', 'api_secret', 'template_no'].map(
    (name) => `POSTRIDER_${name.toUpperCase()}='${demo[name]}'`,
  );
  return `${settings.join(' ')} node block-${index}.mjs\n`;
}

/** The README proves `npx postrider` itself; on the other pages the same program is called without a second of npm before it. */
const withoutNpm = `npx() { if [ "$1" = postrider ]; then shift; node bin/postrider.mjs "$@"; else command npx "$@"; fi; }
`;

/** Exit code 5 of `postrider send` says that a number was not delivered, which is often what a page wants to show. */
const stopAtFaults = `set -E
trap 'code=$?; if [ $code != 5 ]; then echo "ended with $code: $BASH_COMMAND"; exit 97; fi' ERR
`;

async function runPage(reader: Reader, page: Page, blocks: readonly Block[]): Promise<string[]> {
  let script = stopAtFaults + (page.path === 'README.md' ? '' : withoutNpm);
  const sqlBlocks: Block[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.language === 'sql') sqlBlocks.push(block);
    else script += `exec > output-${index} 2>&1\n${await toShell(reader, block, index)}`;
  }
  await writeFile(join(reader.folder, 'page.sh'), script);
  const child = spawn('bash', ['page.sh'], { cwd: reader.folder, env: reader.env, detached: true, stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number];
  // What a page leaves running in the background ends with it.
  if (child.pid !== undefined) killGroup(child.pid);
  const outputs = await Promise.all(
    blocks.map((_, index) => readFile(join(reader.folder, `output-${index}`), 'utf8').catch(() => '')),
  );
  if (code !== 0 && code !== 5) {
    const at = outputs.findLastIndex((output) => output !== '');
    throw new Error(`the block at line ${blocks[at]?.line} ended with ${code}:\n${outputs[at]}`);
  }
  const session = await reader.database.sql.reserve();
  for (const { text } of sqlBlocks) await session.unsafe(text).simple();
  session.release();
  return outputs;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // Nothing was left.
  }
}

/** Numbers, times and ids differ from run to run, and so does the width of columns. */
function normalise(line: string): string {
  return line
    .replaceAll(/\b[A-Z]1[0-9A-Z]{12}\b/g, 'NO')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z)?/g, 'TIME')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The text right behind a block: what it prints, or a part of it. */
function findExpected(page: Page, block: Block): string[] {
  const behind = page.text.split('\n').slice(block.line + block.text.split('\n').length);
  const shown = /^\s*```text[^\n]*\n([\s\S]*?)\n```/.exec(behind.join('\n'))?.[1];
  return shown === undefined ? [] : shown.split('\n').filter((line) => line.trim() !== '');
}

const pages = readPages();

describe('shell, SQL and TypeScript', () => {
  beforeAll(() => buildCode());

  const withBlocks = pages.filter((page) => page.path !== PLACEHOLDERS && findBlocks(page).some(runs));
  it.each(withBlocks)('$path does what it says', { timeout: 300_000 }, async (page) => {
    const blocks = findBlocks(page).filter(runs);
    const reader = await sitDown();
    try {
      const outputs = await runPage(reader, page, blocks);
      for (const [index, block] of blocks.entries()) {
        const printed = (outputs[index] ?? '').split('\n').map(normalise);
        const missing = findExpected(page, block).filter((line) => !printed.includes(normalise(line)));
        expect(missing, `the block at line ${block.line} printed\n${outputs[index]}\nand not`).toEqual([]);
      }
    } finally {
      await reader.leave();
    }
  });

  it('a block that is not run is left out on purpose', () => {
    const known = new Set([...RUNNABLE, 'json', 'text', 'mermaid']);
    for (const page of pages) {
      for (const block of findBlocks(page)) {
        expect(known, `${page.path}:${block.line}`).toContain(block.language);
        const strange = block.marks.filter((mark) => mark !== 'no-run');
        expect(strange, `${page.path}:${block.line}`).toEqual([]);
        if (block.marks.includes('no-run')) expect(page.text, page.path).toMatch(/not run|nothing to run/);
      }
    }
  });
});

describe('JSON', () => {
  const blocks = pages.flatMap((page) =>
    findBlocks(page)
      .filter(({ language }) => language === 'json')
      .map((block) => ({ place: `${page.path}:${block.line}`, block })),
  );

  it.each(blocks)('$place parses', ({ block }) => {
    expect(() => JSON.parse(block.text)).not.toThrow();
  });

  it('is an answer with exactly the fields of the OpenAPI document, or the body of a request', async () => {
    const reader = await sitDown();
    try {
      const url = reader.replacements[0]?.[1];
      const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
      for (const { place, block } of blocks) expect(findFaults(document, JSON.parse(block.text)), place).toEqual([]);
    } finally {
      await reader.leave();
    }
  });
});
