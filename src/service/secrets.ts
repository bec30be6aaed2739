import { createHash, randomBytes } from 'node:crypto';
import { link, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { splitRotation } from '../domain/access/rotation.js';
import type { LineLog } from '../domain/log.js';
import { createDataFolder } from '../store/data-folder.js';

export interface Secrets {
  readonly operatorToken: string;
  /** Accepted beside the other during a rotation. */
  readonly oldOperatorToken: string | undefined;
  /** 32 bytes, for AES-256. */
  readonly secretKey: Buffer;
  /** Opens, and never seals. */
  readonly oldSecretKey: Buffer | undefined;
}

/** The token from the environment must match it, too. */
const OPERATOR_TOKEN = /^[!-~]{16,}$/;

/** The secrets that the environment gives, and for the others those in the data folder, made on first use. */
export async function loadSecrets(
  config: {
    readonly dataDir: string;
    readonly operatorToken: string | undefined;
    readonly secretKey: string | undefined;
  },
  log: LineLog,
): Promise<Secrets> {
  const tokens = config.operatorToken ?? (await readToken(config.dataDir, log));
  const [operatorToken, oldOperatorToken] = splitRotation(tokens);
  const { secretKey, oldSecretKey } = await loadSecretKeys(config, log);
  return { operatorToken, oldOperatorToken, secretKey, oldSecretKey };
}

/** During a rotation there are two. */
export function rootTokensOf({ operatorToken, oldOperatorToken }: Secrets): string[] {
  return oldOperatorToken === undefined ? [operatorToken] : [operatorToken, oldOperatorToken];
}

/** The keys alone: one, or during a rotation two. */
export async function loadSecretKeys(
  config: { readonly dataDir: string; readonly secretKey: string | undefined },
  log: LineLog,
): Promise<Pick<Secrets, 'secretKey' | 'oldSecretKey'>> {
  const text = config.secretKey ?? (await readOrCreate(config.dataDir, 'secret-key', log));
  const [current, old] = splitRotation(text);
  return { secretKey: deriveKey(current), oldSecretKey: old === undefined ? undefined : deriveKey(old) };
}

async function readToken(dataDir: string, log: LineLog): Promise<string> {
  const token = await readOrCreate(dataDir, 'operator-token', log);
  if (OPERATOR_TOKEN.test(token)) return token;
  const file = join(resolve(dataDir), 'operator-token');
  throw new Error(
    `${file} must have at least 16 characters of printable ASCII without spaces. Delete it, and a new one is made.`,
  );
}

// Any text, such as hexadecimal, base64 or a long sentence, gives a key of the right size.
function deriveKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

async function readOrCreate(dataDir: string, name: string, log: LineLog): Promise<string> {
  await createDataFolder(dataDir);
  const file = join(resolve(dataDir), name);
  const found = await readSecret(file, log);
  if (found !== undefined) return found;
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // Atomic, and never replaces a file that another process created meanwhile.
    await link(draft, file);
    log.info(`Generated ${file}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  const made = await readSecret(file, log);
  if (made === undefined) throw new Error(`${file} has gone again.`);
  return made;
}

async function readSecret(file: string, log: LineLog): Promise<string | undefined> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (text === '') throw new Error(`${file} is empty. Restore it; or delete it, and a new one is made.`);
  // A warning and no error: some volumes have no file modes.
  if (((await stat(file)).mode & 0o077) !== 0) log.warn(`${file} can be read by others. Run: chmod 600 ${file}`);
  return text;
}
