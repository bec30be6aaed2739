// The package as a stranger gets it: packed, installed into an empty project without a network, imported, type-checked.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTask, json, page, type StubServer, startStubServer } from './stub-server.js';

const run = promisify(execFile);
const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)));
const tsc = join(packageFolder, '../../node_modules/typescript/bin/tsc');
const consumer = `
import { PostriderClient, PostriderError, type Receipt } from '@postrider/client';
const client = new PostriderClient({ baseUrl: process.argv[2] ?? '', apiKey: 'key', apiSecret: 'secret' });
const task = await client.send({ template_no: 'TPL', phones: ['13800139001'], variable_values: { p1: 'Ann' } });
export async function collect(taskNo: string): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  for await (const receipt of client.receipts({ taskNo })) receipts.push(receipt);
  return receipts;
}
export const isProblem = (error: unknown) => error instanceof PostriderError && error.code === 'not_found';
console.log(task.task_no);
`;

let folder: string;
let project: string;
let server: StubServer;

beforeAll(async () => {
  server = await startStubServer();
  folder = await mkdtemp(join(tmpdir(), 'postrider-packed-'));
  project = join(folder, 'project');
  const source = join(folder, 'package');
  // Built aside, so that the test neither needs nor disturbs what is built in place.
  await run(process.execPath, [tsc, '-p', packageFolder, '--outDir', join(source, 'dist')]);
  for (const name of ['package.json', 'README.md']) await cp(join(packageFolder, name), join(source, name));
  await mkdir(project);
  const { stdout: packed } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source });
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  const tarball = join(folder, packed.trim());
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project });
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Compiles as strictly as a project of its own would, and runs. */
async function compileAndRun(name: string, source: string, ...words: string[]): Promise<string> {
  await writeFile(join(project, `${name}.mts`), source);
  const globals = 'declare const process: { argv: string[]; env: Record<string, string | undefined> };';
  await writeFile(join(project, 'globals.d.ts'), globals);
  const env = { ...process.env, POSTRIDER_API_KEY: 'key', POSTRIDER_API_SECRET: 'secret' };
  const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--types', ''];
  await run(process.execPath, [tsc, ...options, `${name}.mts`, 'globals.d.ts'], { cwd: project });
  return (await run(process.execPath, [`${name}.mjs`, ...words], { cwd: project, env })).stdout.trim();
}

test('an empty project sends with it', async () => {
  server.script(json(createTask({ task_no: 'T-packed' })));
  expect(await compileAndRun('send', consumer, server.url)).toBe('T-packed');
  expect(server.seen[0]?.target).toBe('/openapi/v1/messages/send/');
});

test('the examples of its README compile, and the first runs as it stands', async () => {
  const readme = await readFile(join(packageFolder, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map((match) => match[1] ?? '');
  const [example = ''] = blocks;
  const errors = blocks.find((block) => block.includes('PostriderConnectionError')) ?? '';
  const completed = createTask({ stage: 'completed' });
  const receipt = { phone: '13800139001', result: 'delivered', price: '0.050000' };
  server.script(json(completed), json({ ...completed, timeline: [] }), page([receipt]));
  const text = await compileAndRun('readme', example.replace('http://127.0.0.1:8080', server.url));
  expect(text).toContain('13800139001 delivered 0.050000');
  const preamble = "import { PostriderClient } from '@postrider/client';\n";
  const given = "const client = new PostriderClient({ baseUrl: 'http://localhost:9', apiKey: 'k', apiSecret: 's' });\n";
  const request = "const request = { template_no: 'T', phones: [] };\nif (process.argv.length > 9) {\n";
  const [imports = '', ...rest] = errors.split('\n\n');
  await compileAndRun('errors', `${preamble}${imports}\n${given}${request}${rest.join('\n')}}`);
});

test('it brings nothing along', async () => {
  const { stdout } = await run('npm', ['ls', '--all', '--json'], { cwd: project });
  const tree = JSON.parse(stdout);
  expect(Object.keys(tree.dependencies)).toEqual(['@postrider/client']);
  expect(tree.dependencies['@postrider/client'].dependencies).toBeUndefined();
});
