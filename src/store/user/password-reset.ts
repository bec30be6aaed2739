// Links with which a person who has forgotten the password chooses a new one. Times are those of the database.

import { PASSWORD_RESET_MINUTES, type User, type UserSide } from '../../domain/entities/user.js';
import { type ActorContext, changeConfiguration } from '../operator/change.js';
import type { AnySql, Sql } from '../sql.js';
import { endSessions } from './session.js';
import { recordSignInAudit } from './sign-in.js';
import { readUser, recordUserAudit, selectUser } from './user.js';

const LIFETIME = `${PASSWORD_RESET_MINUTES} minutes`;
/** No further mail to a person within this time. */
const MAIL_INTERVAL = '10 minutes';

export interface PasswordResetLink {
  readonly user: User;
  readonly expiresAt: Date;
}

/** By an admin; a link before is worth nothing from then on. Undefined when there is no such user, or it is disabled. */
export function createPasswordReset(
  acting: ActorContext,
  side: UserSide,
  userNo: string,
  tokenHash: string,
): Promise<PasswordResetLink | undefined> {
  return changeConfiguration(acting, async ({ tx }) => {
    const user = await readUser(tx, side, userNo);
    if (user === undefined || user.status !== 'active') return undefined;
    const expiresAt = await storeToken(tx, user.user_id, tokenHash);
    await recordUserAudit(tx, acting.actor, side, userNo, 'user.password_reset_link', { email: user.email });
    return { user, expiresAt };
  });
}

/** Those who sign in with this email and a password, at most one on each side; not those who were sent a link a moment ago. */
export async function findResettable(sql: Sql, email: string): Promise<readonly User[]> {
  return sql<User[]>`
    ${selectUser(sql)}
    where lower(email) = lower(${email}) and status = 'active' and password_hash is not null
      and coalesce(password_reset_expires_at, '-infinity') <= now() + ${LIFETIME}::interval - ${MAIL_INTERVAL}::interval`;
}

/** For a mail to the person. False when another process has just done the same. */
export async function issuePasswordReset(sql: Sql, user: User, tokenHash: string, address: string): Promise<boolean> {
  return sql.begin(async (tx) => {
    // The lock is on the user, whether a link is open or not: of two requests at once the second one sees what the first one stored.
    const [locked] = await tx<{ isOpen: boolean | null }[]>`
      select password_reset_expires_at > now() + ${LIFETIME}::interval - ${MAIL_INTERVAL}::interval as "isOpen"
      from console_user where user_id = ${user.user_id} for update`;
    if (locked?.isOpen === true) return false;
    await storeToken(tx, user.user_id, tokenHash);
    await recordSignInAudit(tx, 'anonymous', user, 'user.password_reset_request', { address });
    return true;
  });
}

/** Undefined when the link is unknown, was used, or is too old. */
export async function findPasswordReset(sql: AnySql, tokenHash: string): Promise<PasswordResetLink | undefined> {
  const [found] = await sql<{ user_id: bigint; expiresAt: Date }[]>`
    select user_id, password_reset_expires_at as "expiresAt" from console_user
    where password_reset_hash = ${tokenHash} and password_reset_expires_at > now() and status = 'active'`;
  if (found === undefined) return undefined;
  const [user] = await sql<User[]>`${selectUser(sql)} where user_id = ${found.user_id}`;
  return user && { user, expiresAt: found.expiresAt };
}

/**
 * Uses the link up, and an open invitation with it, and ends all sessions. Second factors stay: a mailbox alone must not be enough.
 * How many sessions ended; undefined when the link was used in the meantime.
 */
export async function resetPassword(tx: AnySql, tokenHash: string, passwordHash: string): Promise<number | undefined> {
  // `least` leaves null out: a cluster takes no clock within `coalesce` here.
  const [reset] = await tx<{ user_id: bigint }[]>`
    update console_user
    set password_hash = ${passwordHash}, password_reset_hash = null, password_reset_expires_at = null,
      invitation_hash = null, invitation_expires_at = null, accepted_at = least(accepted_at, now()), updated_at = now()
    where password_reset_hash = ${tokenHash} and password_reset_expires_at > now() and status = 'active'
    returning user_id`;
  return reset === undefined ? undefined : endSessions(tx, reset.user_id);
}

async function storeToken(tx: AnySql, userId: bigint, tokenHash: string): Promise<Date> {
  const [row] = await tx<{ expiresAt: Date }[]>`
    update console_user
    set password_reset_hash = ${tokenHash}, password_reset_expires_at = now() + ${LIFETIME}::interval
    where user_id = ${userId} returning password_reset_expires_at as "expiresAt"`;
  if (row === undefined) throw new Error('a user is gone in the transaction that read it');
  return row.expiresAt;
}
