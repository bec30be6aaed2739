import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { splitRotation } from '../../domain/access/rotation.js';
import { DEMO_FILE } from '../../service/demo-names.js';
import { UsageError } from '../failure.js';
import type { Terminal } from '../terminal.js';
import type { Profile } from './profiles.js';

/** What `npm start` leaves in the data folder, so that a first message needs no setup. */
interface DemoFile {
  readonly url: string;
  readonly api_key: string;
  readonly api_secret: string;
  readonly template_no: string;
  readonly customer_no: string;
  readonly channel_no: string;
  readonly operator_token_file?: string;
}

export interface LocalService {
  readonly profile: Profile;
  /** For messages. */
  readonly source: string;
}

/** The folder that the environment names, otherwise that of the checkout: never one in the current folder. */
export function locateDataFolder({ env, folder, dataFolder }: Terminal): string {
  return env.POSTRIDER_DATA_DIR ? resolve(folder, env.POSTRIDER_DATA_DIR) : dataFolder;
}

/** The demo customer and the operator token of a service that keeps its data here; with the demo off, the token alone. */
export async function readLocalService(terminal: Terminal): Promise<LocalService | null> {
  const folder = locateDataFolder(terminal);
  const demo = await readDemo(folder);
  const token = await readIfThere(resolve(folder, demo?.operator_token_file ?? 'operator-token'));
  if (demo === undefined && token === undefined) return null;
  const profile: Profile = {
    url: demo?.url ?? guessLocalUrl(terminal.env),
    ...(demo && { api_key: demo.api_key, api_secret: demo.api_secret, template_no: demo.template_no }),
    ...(token !== undefined && { operator_token: currentToken(token) }),
  };
  return { profile, source: demo === undefined ? `the data folder ${folder}` : `the demo in ${folder}` };
}

export async function requireDemo(terminal: Terminal): Promise<DemoFile> {
  const folder = locateDataFolder(terminal);
  const demo = await readDemo(folder);
  if (demo !== undefined) return demo;
  throw new UsageError(
    `There is no demo: ${join(folder, DEMO_FILE)} cannot be read.`,
    'Start one with "npm start" in the checkout, or say where its data is: POSTRIDER_DATA_DIR.',
  );
}

async function readDemo(folder: string): Promise<DemoFile | undefined> {
  const path = join(folder, DEMO_FILE);
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as DemoFile;
  } catch {
    throw new UsageError(`${path} is not valid JSON.`, 'Delete it; the next "npm start" writes a new one.');
  }
}

/** Of `new,old`, as the service has it during a rotation, the new one. */
export function currentToken(tokens: string): string {
  return splitRotation(tokens.trim())[0];
}

/** Where a service with the same environment listens. */
export function guessLocalUrl(env: Terminal['env']): string {
  const host = env.POSTRIDER_HOST || '127.0.0.1';
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${env.POSTRIDER_PORT || '8080'}`;
}

const absent: ReadonlySet<unknown> = new Set(['ENOENT', 'EACCES', 'ENOTDIR']);

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}
