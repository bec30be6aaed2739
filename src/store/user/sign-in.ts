// How a person becomes a session: by a password, or by an invitation that sets one.

import type { Side, User } from '../../domain/entities/user.js';
import { asCustomerId } from '../../domain/id.js';
import { recordAudit } from '../operator/change.js';
import type { AnySql, Sql } from '../sql.js';
import { removePasskeys } from './passkey.js';
import { selectUser } from './user.js';

export interface UserSecrets extends User {
  readonly password_hash: string | null;
}

/** At most one on each side. Disabled users are found too: the answer to them takes as long as any. */
export async function findUsersByEmail(
  sql: Sql,
  email: string,
  sides: readonly Side[],
): Promise<readonly UserSecrets[]> {
  const users = await sql<User[]>`
    ${selectUser(sql)} where lower(email) = lower(${email}) and side in ${sql(sides)}`;
  const hashes = await sql<{ user_id: bigint; password_hash: string | null }[]>`
    select user_id, password_hash from console_user where lower(email) = lower(${email}) and side in ${sql(sides)}`;
  return users.map((user) => ({
    ...user,
    password_hash: hashes.find(({ user_id }) => user_id === user.user_id)?.password_hash ?? null,
  }));
}

/** Undefined when the user is disabled or removed. */
export async function findActiveUser(sql: Sql, side: Side, userNo: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    ${selectUser(sql)} where side = ${side} and user_no = ${userNo} and status = 'active'`;
  return user;
}

/** Undefined when the invitation is unknown, was used, or is too old. */
export async function findInvited(sql: AnySql, invitationHash: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    ${selectUser(sql)}
    where invitation_hash = ${invitationHash} and invitation_expires_at > now() and status = 'active'`;
  return user;
}

/** Uses the invitation up, and removes second factors: it is the way back for a lost phone. Undefined when it was used in the meantime. */
export async function acceptInvitation(
  tx: AnySql,
  invitationHash: string,
  passwordHash: string,
): Promise<User | undefined> {
  const [accepted] = await tx<{ user_id: bigint }[]>`
    update console_user
    set password_hash = ${passwordHash}, invitation_hash = null, invitation_expires_at = null, accepted_at = now(),
      password_reset_hash = null, password_reset_expires_at = null,
      totp_sealed = null, totp_confirmed_at = null, totp_last_step = 0, recovery_hashes = '{}',
      second_factor_tries = 0, updated_at = now()
    where invitation_hash = ${invitationHash} and invitation_expires_at > now() and status = 'active'
    returning user_id`;
  if (accepted === undefined) return undefined;
  await removePasskeys(tx, accepted);
  const [user] = await tx<User[]>`${selectUser(tx)} where user_id = ${accepted.user_id}`;
  return user;
}

/** Undefined for a password that was changed since it was read. */
export async function replacePasswordHash(
  sql: AnySql,
  userId: bigint,
  before: string | null,
  after: string,
): Promise<void> {
  await sql`
    update console_user set password_hash = ${after}
    where user_id = ${userId} and password_hash is not distinct from ${before}`;
}

/** Under the customer for its users, under the number of the user for operators. */
export async function recordSignInAudit(
  tx: AnySql,
  actor: string,
  user: User,
  action: string,
  change: Readonly<Record<string, unknown>>,
): Promise<void> {
  const subject = user.customer_id === null ? user.user_no : await customerNoOf(tx, user.customer_id);
  const details = user.customer_id === null ? change : { user_no: user.user_no, ...change };
  await recordAudit(tx, actor, { action, subject, change: details });
}

async function customerNoOf(tx: AnySql, customerId: bigint): Promise<string> {
  const [row] = await tx<{ customer_no: string }[]>`
    select customer_no from customer where customer_id = ${asCustomerId(customerId)}`;
  return row?.customer_no ?? '';
}
