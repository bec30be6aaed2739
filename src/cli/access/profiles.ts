import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../failure.js';
import type { Terminal } from '../terminal.js';

/** Where a service is and who calls it. */
export interface Profile {
  readonly url: string;
  readonly api_key?: string;
  readonly api_secret?: string;
  readonly operator_token?: string;
  /** Of an operator who views as a customer. Expires soon, so it is never kept. */
  readonly view_token?: string;
  /** Used by `send` when no template is named. */
  readonly template_no?: string;
}

export interface ProfileFile {
  readonly current: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

export function locateProfileFile(terminal: Terminal): string {
  const configFolder = terminal.env.XDG_CONFIG_HOME || join(terminal.homeFolder, '.config');
  return join(configFolder, 'postrider', 'profiles.json');
}

/** An empty list when there is no file. A file that others can read is refused: it holds secrets. */
export async function readProfileFile(terminal: Terminal): Promise<ProfileFile> {
  const path = locateProfileFile(terminal);
  let text: string;
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new UsageError(`${path} holds secrets and can be read by others.`, `Close it: chmod 600 ${path}`);
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: null, profiles: {} };
    throw error;
  }
  try {
    const file = JSON.parse(text) as Partial<ProfileFile>;
    return { current: file.current ?? null, profiles: file.profiles ?? {} };
  } catch {
    throw new UsageError(`${path} is not valid JSON.`, 'Repair it, or delete it and add the profiles again.');
  }
}

export async function writeProfileFile(terminal: Terminal, file: ProfileFile): Promise<void> {
  const path = locateProfileFile(terminal);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Written to another file and renamed: neither a crash nor a second command leaves half a file.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
}
