import type { CustomerId } from '../../domain/id.js';
import type { Sql } from '../connect.js';
import { credentialContext, type Sealer } from '../seal.js';
import { changeConfiguration, recordAudit } from './change.js';

export interface Credential {
  readonly api_key: string;
  /** Addresses or CIDR blocks; empty: any address. */
  readonly ip_allow: readonly string[];
  readonly status: 'active' | 'revoked';
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

export interface Owner {
  readonly customerId: CustomerId;
  readonly customer_no: string;
}

const API_KEY_BYTES = 18;
const API_SECRET_BYTES = 32;

export interface KeyPair {
  readonly api_key: string;
  readonly api_secret: string;
}

export function makeKeyPair(randomBytes: (count: number) => Buffer): KeyPair {
  return {
    api_key: `pk_${randomBytes(API_KEY_BYTES).toString('base64url')}`,
    api_secret: `sk_${randomBytes(API_SECRET_BYTES).toString('base64url')}`,
  };
}

export function createCredential(
  sql: Sql,
  sealer: Sealer,
  { customerId, customer_no }: Owner,
  { api_key, api_secret, ip_allow }: KeyPair & { readonly ip_allow: readonly string[] },
): Promise<Credential> {
  return changeConfiguration(sql, async ({ tx, version }) => {
    const sealed = sealer.seal(api_secret, credentialContext(customerId, api_key));
    const [row] = await tx<Credential[]>`
      insert into credential (api_key, customer_id, secret_sealed, ip_allow, status, version)
      values (${api_key}, ${customerId}, ${sealed}, ${[...ip_allow]}, 'active', ${version})
      returning api_key, ip_allow, status, created_at, revoked_at`;
    if (row === undefined) throw new Error('the credential was not stored');
    await recordAudit(tx, { action: 'credential.create', subject: customer_no, change: { api_key, ip_allow } });
    return row;
  });
}

/** A key stays revoked for good. Undefined when the customer has no such key; harmless when repeated. */
export function revokeCredential(
  sql: Sql,
  { customerId, customer_no }: Owner,
  apiKey: string,
): Promise<Credential | undefined> {
  return changeConfiguration(sql, async ({ tx, version }) => {
    const [revoked] = await tx<Credential[]>`
      update credential set status = 'revoked', revoked_at = now(), version = ${version}
      where customer_id = ${customerId} and api_key = ${apiKey} and status = 'active'
      returning api_key, ip_allow, status, created_at, revoked_at`;
    if (revoked !== undefined) {
      const change = { api_key: apiKey, status: { before: 'active', after: 'revoked' } };
      await recordAudit(tx, { action: 'credential.revoke', subject: customer_no, change });
      return revoked;
    }
    const [row] = await tx<Credential[]>`
      select api_key, ip_allow, status, created_at, revoked_at from credential
      where customer_id = ${customerId} and api_key = ${apiKey}`;
    return row;
  });
}

/** Newest first. A customer has a few. */
export async function readCredentials(sql: Sql, customerId: CustomerId): Promise<readonly Credential[]> {
  return sql<Credential[]>`
    select api_key, ip_allow, status, created_at, revoked_at from credential
    where customer_id = ${customerId} order by created_at desc, api_key`;
}
