import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { OperatorClient, PostriderClient } from '@postrider/client';
import { version } from '../service/version.js';
import type { Invocation } from './command.js';
import { UsageError } from './failure.js';
import { type Profile, readProfileFile } from './profiles.js';
import type { Terminal } from './terminal.js';

/** Who calls which service, and where that was found. */
export interface Connection {
  readonly profile: Profile;
  /** For messages: `profile "prod"`, `the environment`. */
  readonly source: string;
}

/** A customer's commands need an API key, an operator's a token. */
export type Caller = 'customer' | 'operator';

/** Where a service with the same environment listens. */
function guessLocalUrl(env: Terminal['env']): string {
  const host = env.POSTRIDER_HOST || '127.0.0.1';
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${env.POSTRIDER_PORT || '8080'}`;
}

/** What `npm start` leaves in the data folder, so that a first message needs no setup. */
interface DemoFile {
  readonly url: string;
  readonly api_key: string;
  readonly api_secret: string;
  readonly template_no: string;
  readonly operator_token_file?: string;
}

/** The demo customer and the operator token of a service that keeps its data here; with the demo off, the token alone. */
async function readDataFolder(terminal: Terminal): Promise<Connection | null> {
  const { env } = terminal;
  const folder = resolve(terminal.folder, env.POSTRIDER_DATA_DIR || 'data');
  const demoText = await readIfThere(join(folder, 'demo.json'));
  const demo = demoText === undefined ? undefined : (JSON.parse(demoText) as DemoFile);
  const token = await readIfThere(resolve(folder, demo?.operator_token_file ?? 'operator-token'));
  if (demo === undefined && token === undefined) return null;
  const profile: Profile = {
    url: demo?.url ?? guessLocalUrl(env),
    ...(demo && { api_key: demo.api_key, api_secret: demo.api_secret, template_no: demo.template_no }),
    ...(token !== undefined && { operator_token: token.trim() }),
  };
  return { profile, source: demo === undefined ? `the data folder ${folder}` : `the demo in ${folder}` };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isFileProblem(error)) return undefined;
    throw error;
  }
}

function isFileProblem(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR';
}

function readEnvironment(env: Terminal['env']): Partial<Profile> {
  return {
    ...(env.POSTRIDER_URL ? { url: env.POSTRIDER_URL } : {}),
    ...(env.POSTRIDER_API_KEY ? { api_key: env.POSTRIDER_API_KEY } : {}),
    ...(env.POSTRIDER_API_SECRET ? { api_secret: env.POSTRIDER_API_SECRET } : {}),
    ...(env.POSTRIDER_OPERATOR_TOKEN ? { operator_token: env.POSTRIDER_OPERATOR_TOKEN } : {}),
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
  const needed = caller === 'customer' ? environment.api_key : environment.operator_token;
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
        `Add it: postrider profile add ${name} --url URL`,
      );
    }
    return { profile: { ...profile, url: invocation.text('url') ?? profile.url }, source: `profile "${name}"` };
  }
  const local = await readDataFolder(terminal);
  return local === null || url === undefined || url === local.profile.url ? local : null;
}

const howToConnect = [
  'Any of these will do:',
  '  npm start                                 runs a service here, with a demo customer that this command finds',
  '  postrider profile add NAME --url URL      keeps credentials for later',
  '  POSTRIDER_URL, POSTRIDER_API_KEY, POSTRIDER_API_SECRET, POSTRIDER_OPERATOR_TOKEN in the environment',
].join('\n');

async function explainNoCredentials(terminal: Terminal): Promise<UsageError> {
  const local = await readDataFolder(terminal);
  if (local === null) return new UsageError('No credentials were found.', howToConnect);
  return new UsageError(
    `The credentials of ${local.source} are for ${local.profile.url} only.`,
    [
      'For another address give its own:',
      '  postrider profile add NAME --url URL      keeps credentials for later',
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

export function createCustomerClient({ profile, source }: Connection): PostriderClient {
  const { url, api_key: apiKey, api_secret: apiSecret } = profile;
  if (apiKey === undefined || apiSecret === undefined) {
    throw new UsageError(`This command acts for a customer, and ${source} has no API key and secret.`, howToConnect);
  }
  // More attempts than a program would make: a person started this and a bulk send should outlive a restart.
  return new PostriderClient({ baseUrl: url, apiKey, apiSecret, userAgent, retry: { attempts: 8 } });
}

function createOperatorClient({ profile, source }: Connection): OperatorClient {
  const { url, operator_token: token } = profile;
  if (token === undefined) {
    throw new UsageError(`This command is an operator's, and ${source} has no operator token.`, howToConnect);
  }
  return new OperatorClient({ baseUrl: url, token, userAgent });
}

export async function connectAsCustomer(invocation: Invocation): Promise<PostriderClient> {
  return createCustomerClient(await requireConnection(invocation, 'customer'));
}

export async function connectAsOperator(invocation: Invocation): Promise<OperatorClient> {
  return createOperatorClient(await requireConnection(invocation, 'operator'));
}
