// Passwords at rest: scrypt with a salt each, in the PHC string format, which carries the cost parameters. A hash of other
// parameters than today's still verifies and is replaced at the next sign-in.

import { scrypt, timingSafeEqual } from 'node:crypto';
import { normalisePassword } from '../../domain/access/password-policy.js';
import { errorText } from '../../domain/fault/error-text.js';
import { unavailable } from '../problem/problem.js';

export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Takes as long without a hash to compare with: for users that do not exist, or have no password. */
  verify(password: string, stored: string | null | undefined): Promise<boolean>;
  isOutdated(stored: string): boolean;
}

export interface PasswordCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB for about a fifth of a second: one of the equivalent settings that OWASP recommends. */
const COST: PasswordCost = { logN: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** Of the four threads that Node has for such work, and of memory: others need them too. */
const CONCURRENCY = 2;
const MAX_WAITING = 64;

const FORMAT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export function createPasswordHasher(
  randomBytes: (count: number) => Buffer,
  cost: PasswordCost = COST,
): PasswordHasher {
  const runLimited = createLimiter();
  const derive = (password: string, salt: Buffer, { logN, r, p }: PasswordCost) =>
    runLimited(() => deriveKey(password, salt, { logN, r, p }));
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const key = await derive(password, salt, cost);
      return `$scrypt$ln=${cost.logN},r=${cost.r},p=${cost.p}$${encode(salt)}$${encode(key)}`;
    },
    async verify(password, stored) {
      const parsed = parse(stored ?? '');
      const key = await derive(password, parsed?.salt ?? randomBytes(SALT_BYTES), parsed?.cost ?? cost);
      return parsed !== undefined && timingSafeEqual(key, parsed.key);
    },
    isOutdated(stored) {
      const known = parse(stored)?.cost;
      return known?.logN !== cost.logN || known.r !== cost.r || known.p !== cost.p;
    },
  };
}

function deriveKey(password: string, salt: Buffer, { logN, r, p }: PasswordCost): Promise<Buffer> {
  const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r };
  return new Promise((resolve, reject) => {
    scrypt(normalisePassword(password), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function parse(
  stored: string,
): { readonly cost: PasswordCost; readonly salt: Buffer; readonly key: Buffer } | undefined {
  const [, logN, r, p, salt, key] = FORMAT.exec(stored) ?? [];
  if (salt === undefined || key === undefined) return undefined;
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== KEY_BYTES) return undefined;
  return { cost: { logN: Number(logN), r: Number(r), p: Number(p) }, salt: Buffer.from(salt, 'base64'), key: bytes };
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Runs a few at a time, in the order in which they came. */
function createLimiter() {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (running >= CONCURRENCY) {
      if (waiting.length >= MAX_WAITING) throw unavailable(errorText('too_many_sign_ins'));
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
