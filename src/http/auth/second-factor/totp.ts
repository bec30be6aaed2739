// Time-based one-time codes (RFC 6238) as authenticator apps compute them: SHA-1, six digits, 30 seconds.

import { createHmac, timingSafeEqual } from 'node:crypto';

const STEP_MS = 30_000;
const DIGITS = 6;
/** 160 bits, as RFC 4226 recommends. */
export const TOTP_SECRET_BYTES = 20;
/** Clocks of phones differ: the steps before and after count too. */
const STEPS_AROUND = 1;

/** The step whose code this is, to be stored so that it is not taken twice; undefined when the code is wrong or was used. */
export function matchTotp(secret: Buffer, code: string, nowMs: number, lastStep: number): number | undefined {
  const current = Math.floor(nowMs / STEP_MS);
  const given = Buffer.from(code.padEnd(DIGITS).slice(0, DIGITS), 'latin1');
  let matched: number | undefined;
  // Every step is compared: the time of the answer does not depend on which matches.
  for (let step = current - STEPS_AROUND; step <= current + STEPS_AROUND; step += 1) {
    const isRight = timingSafeEqual(given, Buffer.from(computeCode(secret, step), 'latin1'));
    if (isRight && code.length === DIGITS && step > lastStep) matched ??= step;
  }
  return matched;
}

/** The code of a step (RFC 4226, section 5.3). */
export function computeCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 without padding, as people type it into an app. */
export function toBase32(bytes: Buffer): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(value >>> (bits - 5)) & 31];
    value &= 0xff;
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31];
}

/** What a QR code for authenticator apps holds. */
export function describeTotp(secret: Buffer, email: string): string {
  const label = `Postrider:${email}`;
  return `otpauth://totp/${encodeURIComponent(label)}?secret=${toBase32(secret)}&issuer=Postrider`;
}
