// Admits calls to the operator API: a bearer token or a session, and the permissions of its owner.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { isMaskedRole, isPermitted, type Permission, rolesWith } from '../../domain/access/permissions.js';
import { errorText } from '../../domain/fault/error-text.js';
import type { AuthenticateSession } from '../auth/session-auth.js';
import type { Bodies } from '../body/bodies.js';
import { FORGOTTEN_AFTER_SECONDS } from '../limits/failure-counts.js';
import { FREE_FAILURES, type GuessGuard } from '../limits/guess-guard.js';
import { type Identity, identify, identityOf, type OperatorLookup } from '../operator-identity.js';
import { Problem } from '../problem/problem.js';
import { rateLimited } from '../problem/rate-limited.js';
import type { Operation } from '../route.js';
import { hashToken } from '../token-hash.js';

const BEARER = /^Bearer ([\x21-\x7e]+)$/i;
const CHALLENGE = { 'www-authenticate': 'Bearer realm="postrider operator"' };

/** Operators share one part of the memory for bodies. No API key has a space in it. */
const OPERATOR = 'the operator';

export interface AdmitDeps {
  readonly rootTokens: readonly string[];
  readonly snapshot: OperatorLookup;
  readonly authenticateSession: AuthenticateSession;
  readonly bodies: Bodies;
  readonly guessGuard: GuessGuard;
}

export function createOperatorAdmission(deps: AdmitDeps) {
  const { bodies } = deps;
  const identifyByToken = createTokenCheck(deps);
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    { permission }: Operation,
  ): Promise<Identity & { readonly rawBody: Buffer; readonly isMasked: boolean }> => {
    const session =
      request.headers.authorization === undefined ? await deps.authenticateSession(request, 'operator') : undefined;
    const identity = session === undefined ? await identifyByToken(request) : identityOf(session);
    // An operation that forgot to say what it needs is for admins.
    requirePermission(identity, permission ?? 'administer');
    const account = bodies.verified(OPERATOR);
    const { bytes } = await bodies.read(request.raw, reply.raw, { account, isBuffered: true });
    return { ...identity, rawBody: bytes, isMasked: isMaskedRole(identity.role) };
  };
}

function createTokenCheck({ rootTokens, snapshot, guessGuard: guard }: AdmitDeps) {
  const roots = rootTokens.map(hashToken);
  return async (request: FastifyRequest): Promise<Identity> => {
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) {
      throw new Problem('missing_credentials', errorText('token_missing'), {
        headers: CHALLENGE,
      });
    }
    const isSlowedDown = guard.waitMs(request.ip) > 0;
    const identity = await identify(roots, snapshot, hashToken(token), isSlowedDown);
    if (identity !== undefined) return identity;
    refuseGuessers(guard, request.ip);
    guard.fail(request.ip);
    throw new Problem('invalid_signature', errorText('token_wrong'), { headers: CHALLENGE });
  };
}

/** Also for handlers whose need depends on the body. */
export function requirePermission({ role }: Identity, permission: Permission): void {
  if (isPermitted(role, permission)) return;
  const roles = rolesWith(permission).join(' or ');
  throw new Problem('not_permitted', errorText('role_needed', { roles, role }));
}

function refuseGuessers(guard: GuessGuard, address: string): void {
  const seconds = Math.ceil(guard.waitMs(address) / 1000);
  if (seconds === 0) return;
  const quota = { name: 'wrong tokens', count: FREE_FAILURES, windowSeconds: FORGOTTEN_AFTER_SECONDS };
  throw rateLimited(errorText('too_many_wrong_tokens', { seconds }), quota, seconds);
}
