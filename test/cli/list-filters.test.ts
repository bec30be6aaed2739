// A filter that is offered must reach the service: one that is passed over shows everything as if it had matched.

import { afterAll, afterEach, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { page, type StubServer, startStubServer } from '../../packages/client/test/stub-server.js';
import type { Command, OptionSpec } from '../../src/cli/command.js';
import { parseMoment, readLater } from '../../src/cli/duration.js';
import { exitCodes } from '../../src/cli/exit-codes.js';
import { runCommandLine } from '../../src/cli/main.js';
import { listOptions } from '../../src/cli/output/records.js';
import { commandGroups } from '../../src/cli/table-of-commands.js';
import { createTestTerminal } from './capture.js';

let server: StubServer;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startStubServer();
  server.script(page([]));
  env = {
    POSTRIDER_URL: server.url,
    POSTRIDER_API_KEY: 'key',
    POSTRIDER_API_SECRET: 'secret',
    POSTRIDER_OPERATOR_TOKEN: 'tok',
  };
});
afterAll(() => server.stop());

const commands = commandGroups.flatMap((group) => group.commands);
const hasOptions = (command: Command, names: readonly string[]) =>
  names.every((name) => command.options?.[name] !== undefined);
const lists = commands.filter(
  (command) => hasOptions(command, Object.keys(listOptions)) || hasOptions(command, ['start', 'end', 'json']),
);

/** What is asked for first, with whatever the command cannot do without; undefined where the command line is refused. */
async function ask(command: Command, words: readonly string[]): Promise<string | undefined> {
  server.seen.length = 0;
  const places = (command.arguments ?? []).filter(({ required }) => required).map(() => 'X-1');
  const needed = Object.entries(command.options ?? {})
    .filter(([name, { required }]) => required && !words.includes(`--${name}`))
    .flatMap(([name, { choices }]) => [`--${name}`, choices?.[0] ?? 'x0']);
  const code = await runCommandLine([...command.path, ...places, ...needed, ...words], createTestTerminal({ env }));
  if (code === exitCodes.usage) return undefined;
  expect(code).toBe(exitCodes.ok);
  return server.seen[0]?.target;
}

function giveOption(name: string, { type, choices, value }: OptionSpec): string[] {
  if (type === 'boolean') return [`--${name}`];
  return [`--${name}`, choices?.at(-1) ?? (value === 'TIME' ? '2026-11-14T08:00:00Z' : 'x1')];
}

function listCases() {
  return lists.flatMap((command) => {
    const sides = command.options?.operator === undefined ? [[]] : [[], ['--operator']];
    const filters = Object.entries(command.options ?? {}).filter(([name]) => listOptions[name] === undefined);
    return sides.flatMap((side) =>
      filters
        .filter(([name]) => !side.includes(`--${name}`))
        .map(([name, spec]) => ({ command, side, given: giveOption(name, spec) })),
    );
  });
}

test('there are lists, and they are asked for in the same way every time', async () => {
  expect(lists.length).toBeGreaterThan(25);
  for (const command of lists) {
    const asked = await ask(command, []);
    expect(asked, command.path.join(' ')).toMatch(/^\/(openapi|operator)\/v1\//);
    expect(await ask(command, [])).toBe(asked);
  }
});

describe('every filter changes what is asked for, or is refused', () => {
  it.each(listCases().map((one) => ({ ...one, title: [...one.command.path, ...one.side, ...one.given].join(' ') })))(
    '$title',
    async ({ command, side, given }) => {
      const [plain, filtered] = [await ask(command, side), await ask(command, [...side, ...given])];
      expect(plain).toBeDefined();
      expect(filtered).not.toBe(plain);
      // Refused are those alone that the other side has.
      if (filtered === undefined) expect(command.options?.operator).toBeDefined();
    },
  );
});

describe('a time without an offset', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ['Asia/Shanghai', '2026-11-14T00:00:00.000Z'],
    ['America/New_York', '2026-11-14T13:00:00.000Z'],
  ])('is local, in %s', (zone, expected) => {
    vi.stubEnv('TZ', zone);
    expect(parseMoment('2026-11-14T08:00', 'start', 0).toISOString()).toBe(expected);
    expect(parseMoment('2026-11-14T08:00:00Z', 'start', 0).toISOString()).toBe('2026-11-14T08:00:00.000Z');
    expect(parseMoment('2026-11-14', 'start', 0).toISOString()).toBe('2026-11-14T00:00:00.000Z');
    expect(readLater({ text: () => '2026-11-14T08:00' }, 'send-at')).toBe(expected);
  });

  it('is said to be, wherever a time is taken, and where one is refused', async () => {
    const timed = commands.filter(({ options = {} }) => Object.values(options).some(({ value }) => value === 'TIME'));
    expect(timed.length).toBeGreaterThan(8);
    for (const command of timed) {
      const terminal = createTestTerminal({ env });
      expect(await runCommandLine([...command.path, '--help'], terminal)).toBe(exitCodes.ok);
      expect(terminal.out.text.replace(/\s+/g, ' '), command.path.join(' ')).toContain('(local time)');
    }
    expect(() => parseMoment('yesterday', 'start', 0)).toThrow(/2026-11-14T08:00 \(local time\)/);
  });
});
