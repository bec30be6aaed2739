// Authenticates by a session cookie, beside signatures and operator tokens. Yields the user; permissions are checked in the same place as
// for keys and tokens.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Side } from '../../domain/entities/user.js';
import { errorText } from '../../domain/fault/error-text.js';
import type { Sql } from '../../store/sql.js';
import { findSession, type LiveSession, noteSessionUsed } from '../../store/user/session.js';
import { Problem } from '../problem/problem.js';
import { hashToken } from '../token-hash.js';
import { isOwnPage, readCookie } from './cookies.js';

export const CSRF_HEADER = 'x-csrf-token';

export interface ActiveSession extends LiveSession {
  /** For the header `X-CSRF-Token` of every request that changes anything. */
  readonly csrfToken: string;
}

/** Undefined where the request has no session cookie of that side. Throws where it has one that may not be used. */
export type AuthenticateSession = (request: FastifyRequest, side: Side) => Promise<ActiveSession | undefined>;

export function createSessionAuth(sql: Sql): AuthenticateSession {
  return async (request, side) => {
    const token = readCookie(request, `postrider_${side}`);
    if (token === undefined || token === '') return undefined;
    if (!isOwnPage(request)) throw new Problem('not_permitted', errorText('session_from_other_origin'));
    const session = await findSession(sql, side, hashToken(token));
    if (session === undefined) throw new Problem('invalid_credentials', errorText('session_ended'));
    const csrfToken = csrfTokenOf(token);
    if (request.method !== 'GET' && request.method !== 'HEAD') requireCsrfToken(request, csrfToken);
    if (session.isStale) await noteSessionUsed(sql, session.token_hash);
    return { ...session, csrfToken };
  };
}

/** Made from the session's own token, which no page can read: nothing has to be stored, and another session has another. */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('csrf').digest('base64url');
}

function requireCsrfToken(request: FastifyRequest, expected: string): void {
  const given = request.headers[CSRF_HEADER];
  // Digests have one length, so the comparison tells nothing.
  const isRight =
    typeof given === 'string' && timingSafeEqual(Buffer.from(hashToken(given)), Buffer.from(hashToken(expected)));
  if (isRight) return;
  throw new Problem('not_permitted', errorText('csrf_token_needed'));
}
