// Users who sign in with an OpenID provider.

import type { Side, User } from '../../domain/entities/user.js';
import type { Sql } from '../sql.js';
import { removePasskeys } from './passkey.js';
import { endSessions } from './session.js';
import { selectUser } from './user.js';

export interface OidcUser extends User {
  /** The issuer and its name for the person; null until the first such sign-in. */
  readonly oidc_subject: string | null;
}

/** Those of the subject or the email: at most two. */
export async function findOidcUsers(
  sql: Sql,
  side: Side,
  subject: string,
  email: string,
): Promise<readonly OidcUser[]> {
  const subjects = await sql<{ user_id: bigint; oidc_subject: string | null }[]>`
    select user_id, oidc_subject from console_user
    where side = ${side} and (oidc_subject = ${subject} or lower(email) = lower(${email}))`;
  if (subjects.length === 0) return [];
  const users = await sql<User[]>`${selectUser(sql)} where user_id in ${sql(subjects.map(({ user_id }) => user_id))}`;
  return users.map((user) => ({
    ...user,
    oidc_subject: subjects.find(({ user_id }) => user_id === user.user_id)?.oidc_subject ?? null,
  }));
}

/**
 * From then on the provider says who the person is. What opened the account before ends: who had the invitation may have accepted it
 * with a password of their own, before the person came. False when the user was linked in the meantime.
 */
export async function linkOidcSubject(sql: Sql, userId: bigint, subject: string): Promise<boolean> {
  return sql.begin(async (tx) => {
    const linked = await tx`
      update console_user
      set oidc_subject = ${subject}, accepted_at = coalesce(accepted_at, created_at), password_hash = null,
        invitation_hash = null, invitation_expires_at = null, password_reset_hash = null, password_reset_expires_at = null,
        totp_sealed = null, totp_confirmed_at = null,
        totp_last_step = 0, recovery_hashes = '{}', updated_at = now()
      where user_id = ${userId} and oidc_subject is null returning user_id`;
    if (linked.length === 0) return false;
    await removePasskeys(tx, { user_id: userId });
    await endSessions(tx, userId);
    return true;
  });
}

/** Sessions by the provider, where it no longer gives the person a role. */
export async function endOidcSessions(sql: Sql, userId: bigint): Promise<void> {
  await sql`delete from console_session where user_id = ${userId} and method = 'oidc'`;
}
