// Authenticates a signed request. The checks run in the order that the API documents: headers, clock, key and signature,
// customer, address.

import type { IncomingHttpHeaders } from 'node:http';
import type { CredentialConfig } from '../../../domain/entities/credential.js';
import type { CustomerConfig } from '../../../domain/entities/customer.js';
import { errorText } from '../../../domain/fault/error-text.js';
import type { SnapshotSource } from '../../../store/snapshot/source.js';
import { Problem } from '../../problem/problem.js';
import { isAddressAllowed } from './address-list.js';
import { isSignedBy, type SignedParts } from './signature.js';

const MAX_CLOCK_DIFFERENCE_MS = 300_000;

const API_KEY = /^[\x21-\x7e]{1,128}$/;
const TIMESTAMP = /^\d{1,16}$/;
const SIGNATURE = /^[0-9a-f]{64}$/;

/** Checked for unknown keys, so that they take as long to reject as a wrong signature. */
const UNKNOWN_KEY_SECRET = Buffer.from('the secret of a key that does not exist');

export interface Credentials {
  readonly apiKey: string;
  readonly timestamp: string;
  readonly signature: Buffer;
}

/** An API key and its customer. */
export interface KeyOwner {
  readonly customer: CustomerConfig;
  readonly credential: CredentialConfig;
}

/** Checked before the body is read. */
export function readCredentials(headers: IncomingHttpHeaders, nowMs: number): Credentials {
  const apiKey = readHeader(headers, 'X-API-Key', API_KEY, 'the API key');
  const timestamp = readHeader(headers, 'X-Timestamp', TIMESTAMP, 'the time in milliseconds since the epoch');
  const signature = readHeader(headers, 'X-Sign', SIGNATURE, '64 lower-case hexadecimal digits');
  if (Math.abs(Number(timestamp) - nowMs) > MAX_CLOCK_DIFFERENCE_MS) {
    throw new Problem('timestamp_out_of_range', errorText('clock_differs'), {
      extra: { server_time: new Date(nowMs).toISOString() },
    });
  }
  return { apiKey, timestamp, signature: Buffer.from(signature, 'hex') };
}

type Snapshots = Pick<SnapshotSource, 'current' | 'refreshIfStale'>;

/**
 * Undefined if the key cannot be used. Called before the body is read: the body is buffered only for the owner of a key. A key created
 * on another node a moment ago may be missing here, so a miss refreshes the snapshot once.
 */
export async function findOwner(snapshot: Snapshots, apiKey: string, nowMs: number): Promise<KeyOwner | undefined> {
  const owner = findInSnapshot(snapshot, apiKey, nowMs);
  if (owner !== undefined) return owner;
  await snapshot.refreshIfStale();
  return findInSnapshot(snapshot, apiKey, nowMs);
}

export async function authenticate(
  snapshot: Snapshots,
  owner: KeyOwner | undefined,
  { apiKey, signature }: Credentials,
  signed: SignedParts,
  address: string,
  nowMs: number,
): Promise<KeyOwner> {
  // The signature is computed for every key: the response time does not reveal which keys exist.
  const isSigned = isSignedBy(owner?.credential.secret ?? UNKNOWN_KEY_SECRET, signed, signature);
  // An unknown key has waited for a refresh in `findOwner`. A wrong signature waits for one here, so that the response time is the same.
  if (owner !== undefined && !isSigned) await snapshot.refreshIfStale();
  // The key may have been revoked while the body was read.
  const current = owner === undefined ? undefined : findInSnapshot(snapshot, apiKey, nowMs);
  if (current === undefined || !isSigned) {
    throw new Problem('invalid_signature', errorText('signature_wrong'));
  }
  requireActive(current.customer);
  if (!isAddressAllowed(current.credential.ipAllow, address)) {
    throw new Problem('ip_not_allowed', errorText('address_not_allowed'));
  }
  return current;
}

export function requireActive({ status }: CustomerConfig): void {
  if (status !== 'active') throw new Problem('customer_suspended', errorText('suspended'));
}

function findInSnapshot(snapshot: Snapshots, apiKey: string, nowMs: number): KeyOwner | undefined {
  const credential = snapshot.current().credential(apiKey);
  if (credential?.status !== 'active' || isExpired(credential, nowMs)) return undefined;
  const customer = snapshot.current().customer(credential.customerId);
  return customer === undefined ? undefined : { customer, credential };
}

function isExpired({ expiresAt }: CredentialConfig, nowMs: number): boolean {
  return expiresAt !== null && expiresAt.getTime() <= nowMs;
}

function readHeader(headers: IncomingHttpHeaders, name: string, pattern: RegExp, expected: string): string {
  const value = headers[name.toLowerCase()];
  if (typeof value === 'string' && pattern.test(value)) return value;
  const text =
    value === undefined ? errorText('header_missing', { name }) : errorText('header_malformed', { name, expected });
  throw new Problem('missing_credentials', text);
}
