import {
  type Credential,
  CredentialFields,
  type CredentialTerms,
  MAX_USABLE_KEYS,
} from '../../domain/entities/credential.js';
import type { Owner } from '../../domain/entities/customer.js';
import type { CustomerId } from '../../domain/id.js';
import { defineRows } from '../rows/bulk-rows.js';
import { columnsOf, insertOf } from '../rows/entity-row.js';
import { credentialContext, type Sealer } from '../secrets/seal.js';
import type { AnySql, Sql } from '../sql.js';
import { type ActorContext, changeConfiguration, recordAudit } from './change.js';

const API_KEY_BYTES = 18;
const API_SECRET_BYTES = 32;

export interface KeyPair {
  readonly api_key: string;
  readonly api_secret: string;
}

export function createKeyPair(randomBytes: (count: number) => Buffer): KeyPair {
  return {
    api_key: `pk_${randomBytes(API_KEY_BYTES).toString('base64url')}`,
    api_secret: `sk_${randomBytes(API_SECRET_BYTES).toString('base64url')}`,
  };
}

/** Undefined when the customer has as many usable keys as are allowed. */
export function createCredential(
  actorContext: ActorContext,
  sealer: Sealer,
  { customerId, customer_no }: Owner,
  { api_key, api_secret }: KeyPair,
  terms: CredentialTerms,
): Promise<Credential | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    if ((await countUsableKeys(tx, customerId)) >= MAX_USABLE_KEYS) return undefined;
    const secret_sealed = sealer.seal(api_secret, credentialContext(customerId, api_key));
    const others = { api_key, customer_id: customerId, secret_sealed, status: 'active', version };
    const [row] = await tx<Credential[]>`
      insert into credential ${insertOf(tx, CredentialFields, terms, others)} returning ${shownColumns(tx)}`;
    if (row === undefined) throw new Error('the credential was not stored');
    const change = { api_key, ...terms };
    await recordAudit(tx, actorContext.actor, { action: 'credential.create', subject: customer_no, change });
    return row;
  });
}

/** Permanent. Undefined if the customer has no such key; idempotent. */
export function revokeCredential(
  actorContext: ActorContext,
  { customerId, customer_no }: Owner,
  apiKey: string,
): Promise<Credential | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const [revoked] = await tx<Credential[]>`
      update credential set status = 'revoked', revoked_at = now(), version = ${version}
      where customer_id = ${customerId} and api_key = ${apiKey} and status = 'active'
      returning ${shownColumns(tx)}`;
    if (revoked !== undefined) {
      const change = { api_key: apiKey, status: { before: 'active', after: 'revoked' } };
      await recordAudit(tx, actorContext.actor, { action: 'credential.revoke', subject: customer_no, change });
      return revoked;
    }
    const [row] = await tx<Credential[]>`
      select ${shownColumns(tx)} from credential where customer_id = ${customerId} and api_key = ${apiKey}`;
    return row;
  });
}

const KEYS_USED = defineRows('used', { apiKey: 'text', at: 'timestamptz' });

const MINUTE_MS = 60_000;

/** To the minute. Not a change of the configuration: no other node has to know. */
export async function noteKeysUsed(sql: Sql, usedAtMs: ReadonlyMap<string, number>): Promise<void> {
  // Cut here: Citus refuses an update that calls a function on a column where the time zone of the session could matter.
  const used = [...usedAtMs].map(([apiKey, ms]) => ({ apiKey, at: new Date(ms - (ms % MINUTE_MS)) }));
  await sql`
    update credential set last_used_at = used.at
    from ${KEYS_USED.unnest(sql, used)}
    where credential.api_key = used.api_key
      and (last_used_at is null or last_used_at < used.at)`;
}

/** Those that are neither revoked nor expired. */
async function countUsableKeys(tx: AnySql, customerId: CustomerId): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from credential
    where customer_id = ${customerId} and status = 'active' and (expires_at is null or expires_at > now())`;
  return row?.count ?? 0;
}

/** Newest first. A customer has a few. */
export async function readCredentials(sql: Sql, customerId: CustomerId): Promise<readonly Credential[]> {
  return sql<Credential[]>`
    select ${shownColumns(sql)} from credential where customer_id = ${customerId} order by created_at desc, api_key`;
}

/** Everything but the secret. */
function shownColumns(sql: AnySql) {
  return sql`api_key, ${columnsOf(sql, 'credential', CredentialFields)}, status, created_at, revoked_at, last_used_at`;
}
