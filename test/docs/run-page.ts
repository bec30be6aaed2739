// Runs the blocks of a page as a reader would: in order, in one shell, and compares what they print with what the page shows.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Block, Page } from './pages.js';

/** Who reads, and where they sit: a checkout with a service beside it. */
export interface Reader {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly replacements: readonly (readonly [string, string])[];
  /** Another user than the one of this process. */
  readonly identity?: { readonly uid: number; readonly gid: number };
  runSql(statements: readonly string[]): Promise<void>;
}

export const RUNNABLE = ['sh', 'bash', 'sql'];
/** What a person types first. Starting and testing have tests of their own, and the service of this test stands for the first. */
const TYPED_BY_PEOPLE = ['npm start', 'npm test', 'npm run check', 'npm ci'];

/** Whether a block is for a machine to run; the text beside the others says why they are not. */
export function canRun(block: Block): boolean {
  return RUNNABLE.includes(block.language) && !block.marks.includes('no-run') && !isTypedByPeople(block);
}

function isTypedByPeople({ text }: Block): boolean {
  const lines = text.split('\n').map((line) => line.replace(/\s*#.*$/, '').trim());
  return lines.every((line) => line === '' || TYPED_BY_PEOPLE.some((typed) => line === typed));
}

/** What one block of a page does, as lines of bash. SQL is run apart. */
function toShell(reader: Reader, { text }: Block): string {
  return reader.replacements.reduce((replaced, [from, to]) => replaced.replaceAll(from, to), text);
}

/** The README proves `npx postrider` itself; on the other pages the same program is called without a second of npm before it. */
const withoutNpm = `npx() { if [ "$1" = postrider ]; then shift; node bin/postrider.mjs "$@"; else command npx "$@"; fi; }
`;

/** Exit code 5 of `postrider send` says that a number was not delivered, which is often what a page wants to show. */
const stopAtFaults = `set -E
trap 'code=$?; if [ $code != 5 ]; then echo "ended with $code: $BASH_COMMAND"; exit 97; fi' ERR
`;

/** Runs the blocks of a page as one session of a shell, and returns what each printed. */
export async function runPage(reader: Reader, page: Page, blocks: readonly Block[]): Promise<string[]> {
  let script = stopAtFaults + (page.path === 'README.md' ? '' : withoutNpm);
  const sqlBlocks: Block[] = [];
  for (const [index] of blocks.entries()) await rm(join(reader.folder, `output-${index}`), { force: true });
  for (const [index, block] of blocks.entries()) {
    if (block.language === 'sql') sqlBlocks.push(block);
    else script += `exec > output-${index} 2>&1\n${toShell(reader, block)}`;
  }
  await writeFile(join(reader.folder, 'page.sh'), script);
  const child = spawn('bash', ['page.sh'], {
    ...reader.identity,
    cwd: reader.folder,
    env: reader.env,
    detached: true,
    stdio: 'ignore',
  });
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
  await reader.runSql(sqlBlocks.map(({ text }) => text));
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

/** Lines that a page shows behind its blocks and that the blocks did not print. */
export function findMissing(page: Page, blocks: readonly Block[], outputs: readonly string[]): string[] {
  return blocks.flatMap((block, index) => {
    const printed = (outputs[index] ?? '').split('\n').map(normalise);
    const missing = findExpected(page, block).filter((line) => !printed.includes(normalise(line)));
    return missing.map((line) => `${page.path}:${block.line} printed\n${outputs[index]}\nand not\n${line}`);
  });
}
