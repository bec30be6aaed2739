// The package as a stranger gets it: packed, installed into an empty project without a network, imported, type-checked.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, makeTask, type StubServer, startStubServer } from './stub-server.js';

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
  await run('npm', ['pack', '--pack-destination', folder], { cwd: source });
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  const tarball = join(folder, 'postrider-client-0.1.0.tgz');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project });
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

test('an empty project sends with it', async () => {
  server.script(json(makeTask({ task_no: 'T-packed' })));
  await writeFile(join(project, 'send.mts'), consumer);
  const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--types', ''];
  await writeFile(join(project, 'globals.d.ts'), 'declare const process: { argv: string[] };');
  await run(process.execPath, [tsc, ...options, 'send.mts', 'globals.d.ts'], { cwd: project });
  const { stdout } = await run(process.execPath, ['send.mjs', server.url], { cwd: project });
  expect(stdout.trim()).toBe('T-packed');
  expect(server.seen[0]?.target).toBe('/openapi/v1/messages/send/');
});

test('it brings nothing along', async () => {
  const { stdout } = await run('npm', ['ls', '--all', '--json'], { cwd: project });
  const tree = JSON.parse(stdout);
  expect(Object.keys(tree.dependencies)).toEqual(['@postrider/client']);
  expect(tree.dependencies['@postrider/client'].dependencies).toBeUndefined();
});
