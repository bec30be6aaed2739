// Users of the console. Every change is in the audit log: that of an operator under its number, that of a customer's user under
// the customer.

import type { User, UserPatch, UserSide, UserTerms } from '../../domain/entities/user.js';
import type { ListSource } from '../list.js';
import { type ActorContext, changeConfiguration, describeChange, mergePatch, recordAudit } from '../operator/change.js';
import type { AnySql } from '../sql.js';

export interface NewUser {
  readonly userId: bigint;
  readonly userNo: string;
  /** SHA-256 of the token in the invitation link. */
  readonly invitationHash: string;
  readonly invitationExpiresAt: Date;
}

/** A user of the demo signs in by a link of the start banner and has no invitation. */
type NewDemoUser = Pick<NewUser, 'userId' | 'userNo'>;

/** Invitations within an hour: to one address, and of one customer. */
export const MAX_INVITATIONS = { address: 5, customer: 100 } as const;

/** More invitations than may be sent within an hour. */
export const TOO_MANY = 'too many';

/** Undefined when someone on the same side has the email. */
export function createUser(
  acting: ActorContext,
  side: UserSide,
  terms: UserTerms,
  newUser: NewUser,
): Promise<User | typeof TOO_MANY | undefined>;
export function createUser(
  acting: ActorContext,
  side: UserSide,
  terms: UserTerms,
  newUser: NewDemoUser,
): Promise<User | undefined>;
export function createUser(
  acting: ActorContext,
  side: UserSide,
  terms: UserTerms,
  { userId, userNo, ...invitation }: NewUser | NewDemoUser,
): Promise<User | typeof TOO_MANY | undefined> {
  const invited = 'invitationHash' in invitation ? invitation : undefined;
  return changeConfiguration(acting, async ({ tx }) => {
    if (invited !== undefined && (await isInvitingTooMuch(tx, side, terms.email))) return TOO_MANY;
    const inserted = await tx`
      insert into console_user (user_id, user_no, side, customer_id, email, name, role, invitation_hash, invitation_expires_at)
      values (${userId}, ${userNo}, ${side.side}, ${customerIdOf(side)}, ${terms.email}, ${terms.name}, ${terms.role},
        ${invited?.invitationHash ?? null}, ${invited?.invitationExpiresAt ?? null})
      on conflict do nothing returning user_no`;
    if (inserted.length === 0) return undefined;
    await recordUserAudit(tx, acting.actor, side, userNo, 'user.create', { ...terms });
    return readUser(tx, side, userNo);
  });
}

export type UserOutcome =
  | { readonly kind: 'ok'; readonly user: User }
  | { readonly kind: 'unknown' }
  /** The customer would be left without anyone who can manage its users. */
  | { readonly kind: 'last_admin' };

/** A disabled user's sessions end with the change. */
export function changeUser(
  acting: ActorContext,
  side: UserSide,
  userNo: string,
  patch: UserPatch,
): Promise<UserOutcome> {
  return changeConfiguration(acting, async ({ tx }): Promise<UserOutcome> => {
    const current = await readUser(tx, side, userNo);
    if (current === undefined) return { kind: 'unknown' };
    const before = { name: current.name, role: current.role, status: current.status };
    const next = mergePatch<Pick<User, 'name' | 'role' | 'status'>>(before, patch);
    const change = describeChange(before, next);
    if (change === undefined) return { kind: 'ok', user: current };
    const staysAdmin = next.role === 'admin' && next.status === 'active';
    if (!staysAdmin && (await isLastAdmin(tx, side, current))) return { kind: 'last_admin' };
    await tx`
      update console_user set name = ${next.name}, role = ${next.role}, status = ${next.status}, updated_at = now()
      where user_id = ${current.user_id}`;
    if (next.status === 'disabled') await tx`delete from console_session where user_id = ${current.user_id}`;
    await recordUserAudit(tx, acting.actor, side, userNo, 'user.change', change);
    return { kind: 'ok', user: { ...current, ...next } };
  });
}

/** The row goes, and the email can be used again; the audit log keeps what the person did. */
export function removeUser(acting: ActorContext, side: UserSide, userNo: string): Promise<UserOutcome> {
  return changeConfiguration(acting, async ({ tx }): Promise<UserOutcome> => {
    const current = await readUser(tx, side, userNo);
    if (current === undefined) return { kind: 'unknown' };
    if (await isLastAdmin(tx, side, current)) return { kind: 'last_admin' };
    await tx`delete from console_session where user_id = ${current.user_id}`;
    await tx`delete from passkey where user_id = ${current.user_id}`;
    await tx`delete from console_user where user_id = ${current.user_id}`;
    const { email, name, role } = current;
    await recordUserAudit(tx, acting.actor, side, userNo, 'user.remove', { email, name, role });
    return { kind: 'ok', user: current };
  });
}

/** A new link; the one before is worth nothing from then on. Undefined when there is no such user. */
export function inviteUser(
  acting: ActorContext,
  side: UserSide,
  userNo: string,
  invitation: Pick<NewUser, 'invitationHash' | 'invitationExpiresAt'>,
): Promise<User | typeof TOO_MANY | undefined> {
  return changeConfiguration(acting, async ({ tx }) => {
    const current = await readUser(tx, side, userNo);
    if (current === undefined) return undefined;
    if (await isInvitingTooMuch(tx, side, current.email)) return TOO_MANY;
    await tx`
      update console_user
      set invitation_hash = ${invitation.invitationHash}, invitation_expires_at = ${invitation.invitationExpiresAt},
        updated_at = now()
      where user_id = ${current.user_id}`;
    await recordUserAudit(tx, acting.actor, side, userNo, 'user.invite', { email: current.email });
    return readUser(tx, side, userNo);
  });
}

export async function readUser(sql: AnySql, side: UserSide, userNo: string): Promise<User | undefined> {
  const [row] = await sql<User[]>`${selectUser(sql)} where ${ofSide(sql, side)} and user_no = ${userNo}`;
  return row;
}

/** Newest first. */
export function listUsers(sql: AnySql, side: UserSide, { status }: { readonly status?: string }): ListSource<User> {
  const matching = () => (status === undefined ? ofSide(sql, side) : sql`${ofSide(sql, side)} and status = ${status}`);
  return {
    keyOf: ({ user_id }) => String(user_id),
    rows: ({ after, offset, limit }) => sql<User[]>`
      ${selectUser(sql)} where ${matching()} ${after === undefined ? sql`` : sql`and user_id < ${after}`}
      order by user_id desc offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (select 1 from console_user where ${matching()} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}

/** In the transaction of what it speaks of. */
export async function recordUserAudit(
  tx: AnySql,
  actor: string,
  side: UserSide,
  userNo: string,
  action: string,
  change: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordAudit(tx, actor, {
    action,
    subject: side.side === 'customer' ? side.customerNo : userNo,
    change: side.side === 'customer' ? { user_no: userNo, ...change } : change,
  });
}

/** The audit log has every invitation, of users that were removed again, too. */
async function isInvitingTooMuch(tx: AnySql, side: UserSide, email: string): Promise<boolean> {
  const subject = side.side === 'customer' ? side.customerNo : null;
  const [row] = await tx<{ toAddress: number; ofCustomer: number }[]>`
    select count(*) filter (where lower(change ->> 'email') = lower(${email}))::int as "toAddress",
      count(*) filter (where subject = ${subject})::int as "ofCustomer"
    from audit where action in ('user.create', 'user.invite') and at > now() - interval '1 hour'`;
  return row !== undefined && (row.toAddress >= MAX_INVITATIONS.address || row.ofCustomer >= MAX_INVITATIONS.customer);
}

/** One who is merely invited cannot take the place of one who has accepted. */
async function isLastAdmin(tx: AnySql, side: UserSide, user: User): Promise<boolean> {
  if (side.side !== 'customer' || user.role !== 'admin' || user.status !== 'active') return false;
  const others = await tx`
    select 1 from console_user
    where customer_id = ${side.customerId} and role = 'admin' and status = 'active' and user_id <> ${user.user_id}
      and (accepted_at is not null or ${user.accepted_at === null}) limit 1`;
  return others.length === 0;
}

function customerIdOf(side: UserSide): bigint | null {
  return side.side === 'customer' ? side.customerId : null;
}

function ofSide(sql: AnySql, side: UserSide) {
  return side.side === 'customer' ? sql`customer_id = ${side.customerId}` : sql`side = 'operator'`;
}

export function selectUser(sql: AnySql) {
  return sql`
    select user_id, user_no, side, customer_id, email, name, role, status, accepted_at,
      case when invitation_hash is null then null else invitation_expires_at end as invitation_expires_at,
      last_signed_in_at, created_at, updated_at
    from console_user`;
}
