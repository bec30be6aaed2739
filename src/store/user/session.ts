// Sessions of the console. The cookie holds a random token and the row its hash, so that a copy of the table lets no one sign in. Limits
// are checked by the clock of the database, which all processes share.

import type { Side, User } from '../../domain/entities/user.js';
import type { AnySql, Sql } from '../sql.js';
import { selectUser } from './user.js';

/** A session that is not used for this long has ended. */
const IDLE_LIMIT = '12 hours';
/** And so has one of this age. */
export const SESSION_DAYS = 7;
const ABSOLUTE_LIMIT = `${SESSION_DAYS} days`;

export type SignInMethod = 'password' | 'passkey' | 'totp' | 'recovery_code' | 'invitation' | 'link' | 'oidc';

export interface NewSession {
  readonly tokenHash: string;
  readonly sessionNo: string;
  readonly method: SignInMethod;
  readonly address: string;
  readonly userAgent: string;
}

export interface Session {
  readonly session_no: string;
  readonly method: SignInMethod;
  readonly address: string;
  readonly user_agent: string;
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly expires_at: Date;
}

export interface LiveSession extends Session {
  readonly token_hash: string;
  readonly user: User;
  /** Whether it is time to note that it is in use. */
  readonly isStale: boolean;
}

export async function createSession(tx: AnySql, user: Pick<User, 'user_id'>, session: NewSession): Promise<void> {
  // Ended sessions are deleted at a sign-in, which is rare enough.
  await tx`delete from console_session where not (${isLive(tx)})`;
  await tx`
    insert into console_session (token_hash, session_no, user_id, method, address, user_agent)
    values (${session.tokenHash}, ${session.sessionNo}, ${user.user_id}, ${session.method}, ${session.address},
      ${session.userAgent})`;
  await tx`update console_user set last_signed_in_at = now() where user_id = ${user.user_id}`;
}

/** Undefined when it has ended, or its user is disabled or removed. */
export async function findSession(sql: Sql, side: Side, tokenHash: string): Promise<LiveSession | undefined> {
  const [session] = await sql<(Omit<LiveSession, 'user'> & { readonly user_id: bigint })[]>`
    select user_id, token_hash, ${sessionColumns(sql)}, last_seen_at < now() - interval '1 minute' as "isStale"
    from console_session where token_hash = ${tokenHash} and ${isLive(sql)}`;
  if (session === undefined) return undefined;
  const { user_id, ...found } = session;
  const [user] = await sql<User[]>`
    ${selectUser(sql)} where user_id = ${user_id} and side = ${side} and status = 'active'`;
  return user && { ...found, user };
}

export async function noteSessionUsed(sql: Sql, tokenHash: string): Promise<void> {
  await sql`update console_session set last_seen_at = now() where token_hash = ${tokenHash}`;
}

/** Those in use, newest first. */
export async function readSessions(sql: Sql, userId: bigint): Promise<readonly Session[]> {
  return sql<Session[]>`
    select ${sessionColumns(sql)} from console_session
    where user_id = ${userId} and ${isLive(sql)} order by created_at desc, session_no desc`;
}

/** False when the user has no such session. */
export async function endSession(tx: AnySql, userId: bigint, sessionNo: string): Promise<boolean> {
  const ended = await tx`
    delete from console_session where user_id = ${userId} and session_no = ${sessionNo} returning session_no`;
  return ended.length > 0;
}

/** How many there were. */
export async function endSessions(tx: AnySql, userId: bigint, exceptTokenHash = ''): Promise<number> {
  const ended = await tx`
    delete from console_session where user_id = ${userId} and token_hash <> ${exceptTokenHash} returning session_no`;
  return ended.length;
}

function isLive(sql: AnySql) {
  return sql`created_at > now() - ${ABSOLUTE_LIMIT}::interval and last_seen_at > now() - ${IDLE_LIMIT}::interval`;
}

function sessionColumns(sql: AnySql) {
  return sql`
    session_no, method, address, user_agent, created_at, last_seen_at,
    least(created_at + ${ABSOLUTE_LIMIT}::interval, last_seen_at + ${IDLE_LIMIT}::interval) as expires_at`;
}
