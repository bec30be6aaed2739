// Which browser signed in to which account before: a sealed cookie, worth nothing without the password. See attempt-guard.ts.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthDeps } from './auth-route.js';
import { readCookie, setCookie } from './cookies.js';

const CONTEXT = 'sign-in device';
const LIFETIME_SECONDS = 180 * 24 * 3600;
/** A browser that several people share knows the last few of them. */
const MAX_ACCOUNTS = 4;

interface Device {
  readonly id: string;
  readonly accounts: readonly string[];
}

/** Undefined when this browser has not signed in to the account. */
export function findDevice(deps: Pick<AuthDeps, 'sealer'>, request: FastifyRequest, email: string): string | undefined {
  const device = readDevice(deps, request);
  return device?.accounts.includes(email.toLowerCase()) === true ? device.id : undefined;
}

export function rememberDevice(
  deps: Pick<AuthDeps, 'sealer' | 'randomBytes'>,
  request: FastifyRequest,
  reply: FastifyReply,
  email: string,
): void {
  const known = readDevice(deps, request);
  const accounts = [email.toLowerCase(), ...(known?.accounts ?? [])];
  const device: Device = {
    id: known?.id ?? deps.randomBytes(12).toString('base64url'),
    accounts: [...new Set(accounts)].slice(0, MAX_ACCOUNTS),
  };
  const value = deps.sealer.seal(JSON.stringify(device), CONTEXT).toString('base64url');
  setCookie(request, reply, 'postrider_device', value, LIFETIME_SECONDS);
}

function readDevice({ sealer }: Pick<AuthDeps, 'sealer'>, request: FastifyRequest): Device | undefined {
  const value = readCookie(request, 'postrider_device');
  if (value === undefined || value === '') return undefined;
  try {
    return JSON.parse(sealer.open(Buffer.from(value, 'base64url'), CONTEXT).toString('utf8')) as Device;
  } catch {
    // Made up, or sealed under a key that is gone.
    return undefined;
  }
}
