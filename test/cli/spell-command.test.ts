// What a hint shows is copied. It must work as it is, where the caller is and for the service that the caller meant.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { problem, type StubServer, startStubServer } from '../../packages/client/test/stub-server.js';
import { GLUE, wrapProse } from '../../src/cli/display-width.js';
import { runCommandLine } from '../../src/cli/main.js';
import { nameProgram } from '../../src/cli/name-program.js';
import { listCommands } from '../../src/cli/parse.js';
import { spellCommand } from '../../src/cli/spell-command.js';
import { commandGroups } from '../../src/cli/table-of-commands.js';
import { checkoutFolder, formatProgram } from '../../src/service/checkout.js';
import { createCapture, createTestTerminal } from './capture.js';

let server: StubServer;
let folder: string;
beforeAll(async () => {
  server = await startStubServer();
  folder = await mkdtemp(join(tmpdir(), 'postrider-spelling-'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const bin = '/opt/node/bin';

test.each([
  ['npx in the checkout', { npm_command: 'exec', PATH: bin }, checkoutFolder, `${bin}/postrider`, 'npx postrider'],
  ['npx in a folder of it', { npm_command: 'exec' }, join(checkoutFolder, 'docs'), 'x', 'npx postrider'],
  ['npx of elsewhere', { npm_command: 'exec', PATH: bin }, '/tmp', `${bin}/postrider`, formatProgram()],
  ['a command of the shell', { PATH: `/usr/bin:${bin}` }, '/tmp', `${bin}/postrider`, 'postrider'],
  ['its file', { PATH: bin }, checkoutFolder, join(checkoutFolder, 'bin/postrider.mjs'), formatProgram()],
])('called as %s it is called so again', (_, env, where, script, program) => {
  expect(nameProgram({ env, folder: where, script })).toBe(program);
});

async function run(words: readonly string[], env: Record<string, string> = {}) {
  const terminal = createTestTerminal({ folder, env, program: 'npx postrider' });
  await runCommandLine(words, terminal);
  return `${terminal.out.text}${terminal.err.text}`;
}

test('errors and help name the program as it was called', async () => {
  const mistakes = [
    'nonsense',
    'task sumbit T-1',
    'customer crate',
    'account --frob',
    'send',
    'account',
    'profile use x',
  ];
  const helps = listCommands(commandGroups).map(({ path }) => [...path, '--help'].join(' '));
  for (const line of [...mistakes, ...helps, '--help', 'customer --help']) {
    const said = await run(line.split(' '));
    // The title of a help is a name, and nothing to type.
    const calls =
      said.replaceAll(/^postrider [a-z -]+(?=:|$)/gm, '').match(/(\S+ )?(?<![\w/.~-])postrider [a-z]+/g) ?? [];
    expect(
      calls.filter((call) => !/^("|\(|<\()?npx postrider/.test(call)),
      line,
    ).toEqual([]);
  }
});

test('a long way to the program is printed once, below a help', async () => {
  const terminal = createTestTerminal({ program: "node '/my code/bin/postrider.mjs'" });
  await runCommandLine(['account', '--help'], terminal);
  expect(terminal.out.text).toContain('\n  postrider account [options]\n');
  expect(terminal.out.text).toMatch(/\nHere, postrider is: node '\/my code\/bin\/postrider\.mjs'\n$/);
});

test('the service that was named is named again', async () => {
  server.script(problem(409, 'invalid_stage'));
  const env = { POSTRIDER_API_KEY: 'key', POSTRIDER_API_SECRET: 'secret' };
  const said = await run(['task', 'freeze', 'T-1', '--url', server.url], env);
  expect(said).toContain(`Look at where it stands: npx postrider task TASK --url ${server.url}\n`);
});

test('a folder that the line of a start names is named again, and not by a command that has its environment', () => {
  const env = { POSTRIDER_DATA_DIR: '/srv/my data' };
  const spell = (program: string, target = '') =>
    spellCommand({ program, target, env }, 'receipts').replaceAll(GLUE, ' ');
  expect(spell('npx postrider')).toBe("POSTRIDER_DATA_DIR='/srv/my data' npx postrider receipts");
  expect(spell('npx postrider', ' --profile prod')).toBe('npx postrider receipts --profile prod');
  expect(spell('postrider')).toBe('postrider receipts');
});

test('a narrow terminal does not break a command', () => {
  const terminal = { ...createCapture(true), columns: 40 };
  const command = spellCommand({ program: 'npx postrider', target: '', env: {} }, 'task T1M7EN1DEDRV8T --follow');
  expect(wrapProse(`It continues automatically. Go on watching: ${command}`, terminal)).toBe(
    'It continues automatically. Go on\nwatching:\nnpx postrider task T1M7EN1DEDRV8T --follow',
  );
});

test('no hint names the program by hand', async () => {
  // Help shows examples and descriptions of the table, and names the program in them itself.
  const commands = listCommands(commandGroups);
  const ofHelp = commands.flatMap(({ description = '', examples = [] }) => [
    description.replaceAll('\n', ' '),
    ...examples.flatMap(({ command, shows }) => [command, shows]),
  ]);
  const words = [...new Set(commands.map(({ path }) => path[0]))].join('|');
  const root = join(checkoutFolder, 'src/cli');
  const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.ts'));
  expect(names.length).toBeGreaterThan(50);
  const found: string[] = [];
  for (const name of names) {
    const code = (await readFile(join(root, name), 'utf8')).replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '');
    for (const [call] of code.matchAll(new RegExp(`\\bpostrider (${words})\\b[^'"\`\\n]{0,12}`, 'g'))) {
      if (!ofHelp.some((text) => text.includes(call))) found.push(`${name}: ${call}`);
    }
  }
  // The completion of a shell is for a program of this name.
  expect(found.filter((call) => !call.startsWith('completion.ts'))).toEqual([]);
});
