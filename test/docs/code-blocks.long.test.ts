// Every block of the documentation that can run is run, as a reader would: page by page, in order, in a folder with the
// checkout and a service with the demo. Pages without SQL that a newcomer reads first run in `newcomer.long.test.ts`. `no-run` behind the language leaves a block out; the text must say why.

import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { start } from '../../src/app/start.js';
import { readConfig } from '../../src/service/config.js';
import { connectDatabase } from '../../src/store/connect.js';
import { ensurePartitions } from '../../src/store/partitions.js';
import { createTestDatabase } from '../support/database.js';
import { buildCode, checkout } from '../support/service-process.js';
import { type Document, findFaults } from './answer-shapes.js';
import { findBlocks, NEWCOMER_PAGES, type Page, readPages } from './pages.js';
import { canRun, findMissing, type Reader, RUNNABLE, runPage } from './run-page.js';

/** The examples of this page have words like CUSTOMER and TASK in them. It is compared with the command table elsewhere. */
const PLACEHOLDERS = 'docs/cli.md';

/** A folder like a checkout, with a `data` of its own, and a service with the demo that keeps its data there. */
interface Desk extends Reader {
  leave(): Promise<void>;
}

async function sitDown(): Promise<Desk> {
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
  // The user who runs the tests may have settings and profiles.
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
    env,
    replacements: [
      ['http://127.0.0.1:8080', running.url],
      ['2775', String(await findFreePort())],
    ],
    async runSql(statements) {
      const session = connectDatabase(database.address, { maxConnections: 1 });
      for (const statement of statements) await session.unsafe(statement).simple();
      await session.end();
    },
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

const pages = readPages();

describe('shell and SQL', () => {
  beforeAll(() => buildCode());

  const isRunByNewcomer = (page: Page) =>
    NEWCOMER_PAGES.includes(page.path) && findBlocks(page).every(({ language }) => language !== 'sql');
  const withBlocks = pages.filter(
    (page) => page.path !== PLACEHOLDERS && !isRunByNewcomer(page) && findBlocks(page).some(canRun),
  );
  it.each(withBlocks)('$path does what it says', { timeout: 300_000 }, async (page) => {
    const blocks = findBlocks(page).filter(canRun);
    const reader = await sitDown();
    try {
      const outputs = await runPage(reader, page, blocks);
      expect(findMissing(page, blocks, outputs)).toEqual([]);
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
