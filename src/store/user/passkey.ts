// Passkeys of a user. What must happen once is decided by the statement that does it: of two concurrent ones, one wins.

import type { User } from '../../domain/entities/user.js';
import type { AnySql, Sql } from '../sql.js';
import { selectUser } from './user.js';

type UserKey = Pick<User, 'user_id'>;

/** As its owner sees it. */
export interface Passkey {
  readonly passkey_no: string;
  readonly name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

export interface NewPasskey {
  readonly passkeyNo: string;
  readonly name: string;
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
}

/** What a signature is checked with. */
export interface PasskeyCredential {
  readonly credential_id: string;
  readonly passkey_no: string;
  readonly public_key: Buffer;
  readonly sign_count: number;
  readonly transports: readonly string[];
}

/** False when the challenge was used before. `expiresAt` is when no one accepts it any more. */
export async function useChallenge(sql: Sql, challengeHash: string, expiresAt: Date): Promise<boolean> {
  // The margin covers clocks that differ between processes and database.
  await sql`delete from passkey_challenge where expires_at < now() - interval '1 hour'`;
  const used = await sql`
    insert into passkey_challenge (challenge_hash, expires_at) values (${challengeHash}, ${expiresAt})
    on conflict do nothing returning challenge_hash`;
  return used.length > 0;
}

/** Oldest first. */
export async function readPasskeys(sql: Sql, { user_id }: UserKey): Promise<readonly Passkey[]> {
  return sql<Passkey[]>`
    select passkey_no, name, created_at, last_used_at from passkey
    where user_id = ${user_id} order by created_at, passkey_no`;
}

export async function readCredentials(sql: Sql, { user_id }: UserKey): Promise<readonly PasskeyCredential[]> {
  return sql<PasskeyCredential[]>`${selectCredential(sql)} where user_id = ${user_id}`;
}

export async function hasPasskey(sql: Sql, { user_id }: UserKey): Promise<boolean> {
  return (await sql`select 1 from passkey where user_id = ${user_id} limit 1`).length > 0;
}

/** Undefined for a credential that is not known, or whose user is disabled. */
export async function findPasskey(
  sql: Sql,
  credentialId: string,
): Promise<{ readonly credential: PasskeyCredential; readonly user: User } | undefined> {
  const [found] = await sql<(PasskeyCredential & UserKey)[]>`
    ${selectCredential(sql)} where credential_id = ${credentialId}`;
  if (found === undefined) return undefined;
  const { user_id, ...credential } = found;
  const [user] = await sql<User[]>`${selectUser(sql)} where user_id = ${user_id} and status = 'active'`;
  return user && { credential, user };
}

/** False when the credential is registered already. */
export async function addPasskey(tx: AnySql, { user_id }: UserKey, passkey: NewPasskey): Promise<boolean> {
  const added = await tx`
    insert into passkey (credential_id, passkey_no, user_id, name, public_key, sign_count, transports)
    values (${passkey.credentialId}, ${passkey.passkeyNo}, ${user_id}, ${passkey.name}, ${passkey.publicKey},
      ${passkey.signCount}, ${[...passkey.transports]})
    on conflict do nothing returning passkey_no`;
  return added.length > 0;
}

/** False when the passkey was removed, or has signed with this count or a higher one in the meantime. */
export async function notePasskeyUsed(tx: AnySql, credentialId: string, signCount: number): Promise<boolean> {
  const used = await tx`
    update passkey set sign_count = ${signCount}, last_used_at = now()
    where credential_id = ${credentialId} and (sign_count < ${signCount} or (sign_count = 0 and ${signCount} = 0))
    returning passkey_no`;
  return used.length > 0;
}

/** `isLastWayIn`: without it the user could not sign in. Undefined when there is no such passkey. */
export async function removePasskey(
  tx: AnySql,
  { user_id }: UserKey,
  passkeyNo: string,
): Promise<{ readonly name: string; readonly isLastWayIn: boolean } | undefined> {
  // Locks the user: of two removals at once, the second sees what the first left.
  const [user] = await tx<{ hasOtherWay: boolean }[]>`
    update console_user set updated_at = now() where user_id = ${user_id}
    returning password_hash is not null or oidc_subject is not null as "hasOtherWay"`;
  const [removed] = await tx<{ name: string }[]>`
    delete from passkey where user_id = ${user_id} and passkey_no = ${passkeyNo} returning name`;
  if (removed === undefined) return undefined;
  const left = await tx`select 1 from passkey where user_id = ${user_id} limit 1`;
  return { name: removed.name, isLastWayIn: left.length === 0 && user?.hasOtherWay !== true };
}

export async function removePasskeys(tx: AnySql, { user_id }: UserKey): Promise<void> {
  await tx`delete from passkey where user_id = ${user_id}`;
}

function selectCredential(sql: AnySql) {
  return sql`
    select user_id, credential_id, passkey_no, public_key, sign_count::float8 as sign_count, transports from passkey`;
}
