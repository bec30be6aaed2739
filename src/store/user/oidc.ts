// Users who sign in with an OpenID provider.

import type { Side, User } from '../../domain/entities/user.js';
import type { Sql } from '../sql.js';
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

/** False when the user was linked in the meantime. */
export async function linkOidcSubject(sql: Sql, userId: bigint, subject: string): Promise<boolean> {
  const linked = await sql`
    update console_user set oidc_subject = ${subject}, accepted_at = coalesce(accepted_at, created_at)
    where user_id = ${userId} and oidc_subject is null returning user_id`;
  return linked.length > 0;
}
