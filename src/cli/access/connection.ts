import { OperatorClient, PostriderClient } from '@postrider/client';
import { quoteForShell } from '../../service/checkout.js';
import { version } from '../../service/version.js';
import type { Invocation } from '../command.js';
import { wrapProse } from '../display-width.js';
import { UsageError } from '../failure.js';
import { type Advice, spellCommand } from '../spell-command.js';
import type { Terminal } from '../terminal.js';
import { currentToken, guessLocalUrl, locateDataFolder, readLocalService } from './data-folder.js';
import { locateProfileFile, type Profile, readProfileFile } from './profiles.js';

/** The caller, the service, and where the profile was found. */
export interface Connection {
  readonly profile: Profile;
  /** For messages: `profile "prod"`, `the environment`. */
  readonly source: string;
  /** Present when it is a profile. */
  readonly profileName?: string;
}

/** A customer's commands need an API key, an operator's a token. */
export type Caller = 'customer' | 'operator';

function readEnvironment(env: Terminal['env']): Partial<Profile> {
  return {
    ...(env.POSTRIDER_URL ? { url: env.POSTRIDER_URL } : {}),
    ...(env.POSTRIDER_API_KEY ? { api_key: env.POSTRIDER_API_KEY } : {}),
    ...(env.POSTRIDER_API_SECRET ? { api_secret: env.POSTRIDER_API_SECRET } : {}),
    ...(env.POSTRIDER_TEMPLATE_NO ? { template_no: env.POSTRIDER_TEMPLATE_NO } : {}),
    ...(env.POSTRIDER_VIEW_TOKEN ? { view_token: env.POSTRIDER_VIEW_TOKEN } : {}),
    ...(env.POSTRIDER_OPERATOR_TOKEN ? { operator_token: currentToken(env.POSTRIDER_OPERATOR_TOKEN) } : {}),
  };
}

/**
 * In this order: `--profile`, then variables of the environment with what the caller needs, then the profile in use, then
 * the demo. Sources are not mixed, so that a token does not reach a service that it was not meant for; only `--url`, given on
 * the same line, sends a profile elsewhere.
 */
export async function resolveConnection(invocation: Invocation, caller: Caller): Promise<Connection | null> {
  const { terminal } = invocation;
  const environment = readEnvironment(terminal.env);
  const url = invocation.text('url') ?? environment.url;
  const named = invocation.text('profile');
  const customers = environment.view_token ?? environment.api_key;
  const needed = caller === 'customer' ? customers : environment.operator_token;
  if (named === undefined && needed !== undefined) {
    return { profile: { ...environment, url: url ?? guessLocalUrl(terminal.env) }, source: 'the environment' };
  }
  const file = await readProfileFile(terminal);
  const name = named ?? (terminal.env.POSTRIDER_PROFILE || file.current);
  if (name) {
    const profile = Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;
    if (profile === undefined) {
      const known = Object.keys(file.profiles).join(', ') || 'none';
      throw new UsageError(
        `There is no profile "${name}". Known: ${known}.`,
        (spell) => `Add it: ${spell(`profile add ${quoteForShell(name)} --url URL`)}`,
      );
    }
    const called = { ...profile, url: invocation.text('url') ?? profile.url };
    return { profile: called, source: `profile "${name}"`, profileName: name };
  }
  const local = await readLocalService(terminal);
  return local === null || url === undefined || url === local.profile.url ? local : null;
}

/** `  what to do      what that does`, below each other. */
function alignWays(ways: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...ways.map(([way]) => way.length));
  return ways.map(([way, effect]) => `  ${way.padEnd(width)}      ${effect}`);
}

const howToConnect: Advice = (spell) =>
  [
    'Any of these will do:',
    ...alignWays([
      ['npm start, in the checkout', 'runs a service with a demo customer, which this command finds'],
      [spell('profile add NAME --url URL'), 'keeps credentials; "profile use NAME" makes them the ones in use'],
    ]),
    '  POSTRIDER_URL, POSTRIDER_API_KEY, POSTRIDER_API_SECRET, POSTRIDER_OPERATOR_TOKEN in the environment',
  ].join('\n');

async function explainNoCredentials(terminal: Terminal): Promise<UsageError> {
  const local = await readLocalService(terminal);
  if (local === null) {
    const { profiles } = await readProfileFile(terminal);
    const kept = Object.keys(profiles);
    const inProfiles =
      kept.length === 0
        ? `no profile in ${locateProfileFile(terminal)}`
        : `no profile in use (kept are ${kept.join(', ')}: --profile NAME, or "${spellCommand(terminal, 'profile use NAME')}")`;
    return new UsageError(
      `No credentials were found: none in the environment, ${inProfiles}, no service in ${locateDataFolder(terminal)}.`,
      howToConnect,
    );
  }
  return new UsageError(`The credentials of ${local.source} are for ${local.profile.url} only.`, (spell) =>
    [
      'For another address give its own:',
      `  ${spell('profile add NAME --url URL')}      keeps credentials for later`,
      '  POSTRIDER_API_KEY with POSTRIDER_API_SECRET, or POSTRIDER_OPERATOR_TOKEN, in the environment',
    ].join('\n'),
  );
}

export async function requireConnection(invocation: Invocation, caller: Caller): Promise<Connection> {
  const connection = await resolveConnection(invocation, caller);
  if (connection === null) throw await explainNoCredentials(invocation.terminal);
  const { url } = connection.profile;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new UsageError(`"${url}" is no address of a service.`, 'It looks like this: https://sms.example.com');
  }
  return connection;
}

const userAgent = `postrider-cli/${version}`;

/** The attempts of a client take a while, in which the command would seem to hang. Printed once, at the first. */
function reportNoAnswer({ err }: Terminal, url: string): typeof fetch {
  let isTold = false;
  return async (...call) => {
    try {
      return await fetch(...call);
    } catch (error) {
      // A network error is a TypeError; an aborted wait is not.
      if (!isTold && error instanceof TypeError) {
        isTold = true;
        const text = `Nothing answers at ${url}. Trying again for some seconds; Ctrl-C ends it.`;
        await err.write(`${err.isTty ? '\r\u001b[2K' : ''}${wrapProse(text, err)}\n`);
      }
      throw error;
    }
  };
}

export function createCustomerClient(terminal: Terminal, { profile, source }: Connection): PostriderClient {
  const { url, api_key: apiKey, api_secret: apiSecret, view_token: viewToken } = profile;
  const shared = { baseUrl: url, userAgent, fetch: reportNoAnswer(terminal, url) };
  if (viewToken !== undefined) return new PostriderClient({ ...shared, viewToken });
  if (apiKey === undefined || apiSecret === undefined) {
    throw new UsageError(`This command acts for a customer, and ${source} has no API key and secret.`, howToConnect);
  }
  // More attempts than a program makes: a person waits, and a bulk send should outlive a restart.
  return new PostriderClient({ ...shared, apiKey, apiSecret, retry: { attempts: 8 } });
}

function createOperatorClient(terminal: Terminal, { profile, source }: Connection): OperatorClient {
  const { url, operator_token: token } = profile;
  if (token === undefined) {
    throw new UsageError(`This command is an operator's, and ${source} has no operator token.`, howToConnect);
  }
  return new OperatorClient({ baseUrl: url, token, userAgent, fetch: reportNoAnswer(terminal, url) });
}

export async function connectAsCustomer(invocation: Invocation): Promise<PostriderClient> {
  return createCustomerClient(invocation.terminal, await requireConnection(invocation, 'customer'));
}

export async function connectAsOperator(invocation: Invocation): Promise<OperatorClient> {
  return createOperatorClient(invocation.terminal, await requireConnection(invocation, 'operator'));
}
