import { readFile } from 'node:fs/promises';
import { quoteForShell } from '../../service/checkout.js';
import { type Caller, type Connection, resolveConnection } from '../access/connection.js';
import { locateProfileFile, type Profile, readProfileFile, writeProfileFile } from '../access/profiles.js';
import { readSecret } from '../access/secret-input.js';
import type { Command, Invocation } from '../command.js';
import { wrapProse } from '../display-width.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { createTable } from '../output/table.js';
import { spellCommand } from '../spell-command.js';

async function addProfile(invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const name = invocation.argument(0);
  const url = invocation.text('url');
  if (url === undefined) throw new UsageError('--url is required: where the service answers.');
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new UsageError(`"${url}" is no address such as https://sms.example.com.`);
  const apiKey = invocation.text('api-key');
  const template = invocation.text('template');
  const tokenFile = invocation.text('operator-token-file');
  if (apiKey === undefined && tokenFile === undefined) {
    throw new UsageError('Give --api-key for a customer, --operator-token-file for an operator, or both.');
  }
  const profile: Profile = {
    url,
    ...(apiKey === undefined
      ? {}
      : { api_key: apiKey, api_secret: await readSecret(terminal, `Secret of ${apiKey}: `) }),
    ...(tokenFile === undefined ? {} : { operator_token: (await readFile(tokenFile, 'utf8')).trim() }),
    ...(template === undefined ? {} : { template_no: template }),
  };
  const file = await readProfileFile(terminal);
  const isUsed = invocation.flag('use') || file.current === name;
  await writeProfileFile(terminal, {
    current: isUsed ? name : file.current,
    profiles: { ...file.profiles, [name]: profile },
  });
  await terminal.err.write(`Profile "${name}" is kept in ${locateProfileFile(terminal)}, for you alone.\n`);
  // Never automatically: the next command would go to another service than the last one.
  const use = spellCommand(terminal, `profile use ${quoteForShell(name)}`);
  const next = isUsed
    ? 'It is used from now on, where no other is named.'
    : `Use it for one command with --profile ${name}, or from now on: ${use}`;
  await terminal.err.write(`${wrapProse(next, terminal.err)}\n`);
  return exitCodes.ok;
}

async function listProfiles(invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const file = await readProfileFile(terminal);
  const callers = ['customer', 'operator'] as const;
  const connections = await Promise.all(callers.map((caller) => resolveConnection(invocation, caller)));
  // The profile in effect, which the environment may decide, not the one in the file.
  const used = new Set(
    connections.map((connection, index) =>
      connection !== null && hasNeeded(connection, callers[index]) ? connection.profileName : undefined,
    ),
  );
  const rows = Object.entries(file.profiles).map(([name, profile]) => [
    used.has(name) ? `* ${name}` : `  ${name}`,
    profile.url,
    profile.api_key ?? '–',
    profile.operator_token === undefined ? 'no' : 'yes',
  ]);
  if (rows.length > 0) {
    await createTable(terminal.out, [
      { title: '  PROFILE' },
      { title: 'URL' },
      { title: 'API KEY' },
      { title: 'OPERATOR' },
    ]).write(rows);
  }
  for (const [index, caller] of callers.entries()) {
    await terminal.err.write(
      `As ${caller === 'customer' ? 'a customer' : 'an operator'}: ${describeUse(connections[index], caller)}\n`,
    );
  }
  return exitCodes.ok;
}

/** A profile in use may have nothing for this kind of command, which is then refused. */
function describeUse(connection: Connection | null | undefined, caller: Caller): string {
  if (!connection) return 'no credentials were found';
  const { profile, source } = connection;
  const lack = caller === 'customer' ? 'an API key' : 'an operator token';
  return `${source}, ${profile.url}${hasNeeded(connection, caller) ? '' : `, which has not got ${lack}`}`;
}

function hasNeeded({ profile }: Connection, caller: Caller | undefined): boolean {
  return (caller === 'customer' ? profile.api_key : profile.operator_token) !== undefined;
}

async function changeProfiles(invocation: Invocation, change: 'use' | 'remove'): Promise<ExitCode> {
  const { terminal } = invocation;
  const name = invocation.argument(0);
  const file = await readProfileFile(terminal);
  if (!Object.hasOwn(file.profiles, name)) {
    throw new UsageError(`There is no profile "${name}".`, (spell) => `See: ${spell('profile list')}`);
  }
  const { [name]: removed, ...others } = file.profiles;
  if (change === 'use') await writeProfileFile(terminal, { ...file, current: name });
  else await writeProfileFile(terminal, { current: file.current === name ? null : file.current, profiles: others });
  const done =
    change === 'use' ? `Profile "${name}" (${removed?.url}) is used from now on.` : `Profile "${name}" is gone.`;
  await terminal.err.write(`${done}\n`);
  const overriding = terminal.env.POSTRIDER_PROFILE;
  if (change === 'use' && overriding && overriding !== name) {
    await terminal.err.write(`POSTRIDER_PROFILE names "${overriding}", and wins over it.\n`);
  }
  return exitCodes.ok;
}

const nameArgument = { name: 'NAME', summary: 'name of the profile', required: true };

export const profileCommands: readonly Command[] = [
  {
    path: ['profile', 'add'],
    summary: 'keep credentials under a name',
    description: [
      'The secret is asked for, or read from standard input, so that it appears neither in the history of the shell nor in',
      'the list of processes. The file is ~/.config/postrider/profiles.json, mode 0600.',
      '',
      'Credentials are looked for in this order: --profile; POSTRIDER_API_KEY, POSTRIDER_API_SECRET and',
      'POSTRIDER_OPERATOR_TOKEN with POSTRIDER_URL; POSTRIDER_PROFILE; the profile in use; the demo.',
    ].join('\n'),
    arguments: [nameArgument],
    options: {
      'api-key': { type: 'string', value: 'KEY', summary: 'API key of a customer' },
      'operator-token-file': { type: 'string', value: 'PATH', summary: 'file with the operator token' },
      template: { type: 'string', value: 'TEMPLATE', summary: 'template that "send" uses when none is named' },
      use: { type: 'boolean', summary: 'use it from now on, like "profile use"' },
    },
    examples: [
      {
        command: 'postrider profile add prod --url https://sms.example.com --api-key KEY',
        shows: 'asks for the secret',
      },
      {
        command: 'pass sms | postrider profile add prod --url https://sms.example.com --api-key KEY',
        shows: 'from a password store',
      },
    ],
    run: addProfile,
  },
  { path: ['profile', 'list'], summary: 'profiles, and which credentials are in use', run: listProfiles },
  {
    path: ['profile', 'use'],
    summary: 'use this profile from now on',
    arguments: [nameArgument],
    run: (invocation) => changeProfiles(invocation, 'use'),
  },
  {
    path: ['profile', 'remove'],
    summary: 'forget a profile',
    arguments: [nameArgument],
    run: (invocation) => changeProfiles(invocation, 'remove'),
  },
];
