// What stands between the socket and the handlers of the operator API: a bearer token or a session, and what its owner may do.

import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isMaskedRole, isPermitted, type Permission, type Role, rolesWith } from '../../domain/access/permissions.js';
import { ROOT } from '../../domain/entities/operator.js';
import { actorOf } from '../../domain/entities/user.js';
import { errorText } from '../../domain/request/error-text.js';
import type { SnapshotSource } from '../../store/snapshot/source.js';
import type { LiveSession } from '../../store/user/session.js';
import type { AuthenticateSession } from '../auth/session-auth.js';
import type { Bodies } from '../body/bodies.js';
import { Problem } from '../problem/problem.js';
import type { Operation } from '../route.js';
import { hashToken } from '../token-hash.js';
import type { GuessGuard } from './guess-guard.js';

const BEARER = /^Bearer ([\x21-\x7e]+)$/i;
const CHALLENGE = { 'www-authenticate': 'Bearer realm="postrider operator"' };

/** Operators share one part of the memory for bodies. No API key has a space in it. */
const OPERATOR = 'the operator';

export type OperatorLookup = Pick<SnapshotSource, 'current' | 'refreshIfStale'>;

export interface AdmitDeps {
  readonly rootTokens: readonly string[];
  readonly snapshot: OperatorLookup;
  readonly authenticateSession: AuthenticateSession;
  readonly bodies: Bodies;
  readonly guessGuard: GuessGuard;
}

/** Who is calling. */
export interface Identity {
  /** As the audit log names them. */
  readonly actor: string;
  readonly role: Role;
  /** Of the operator token or the session that they came with. */
  readonly tokenHash: string;
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

/** Of a session on the operator's side, where all roles are operators' roles. */
export function identityOf({ user, token_hash }: LiveSession): Identity {
  return { actor: actorOf(user), role: user.role as Role, tokenHash: token_hash };
}

/** Also for handlers whose need depends on the body. */
export function requirePermission({ role }: Identity, permission: Permission): void {
  if (isPermitted(role, permission)) return;
  const roles = rolesWith(permission).join(' or ');
  throw new Problem('not_permitted', errorText('role_needed', { roles, role }));
}

/** Whose token has this hash, where its owner is still an operator. For a guesser nothing is read from the database. */
export async function identify(
  roots: readonly string[],
  snapshot: OperatorLookup,
  hash: string,
  isGuesser = false,
): Promise<Identity | undefined> {
  // Digests have one length, so the comparison tells nothing, not even how long the token is.
  const isRoot = roots.some((root) => timingSafeEqual(Buffer.from(hash), Buffer.from(root)));
  if (isRoot) return { actor: ROOT, role: 'admin', tokenHash: hash };
  const find = () => snapshot.current().operatorByTokenHash(hash);
  let operator = find();
  if (operator === undefined && !isGuesser) {
    // One made on another node a moment ago may not be known here yet.
    await snapshot.refreshIfStale();
    operator = find();
  }
  if (operator?.status !== 'active') return undefined;
  return { actor: operator.name, role: operator.role, tokenHash: hash };
}

function refuseGuessers(guard: GuessGuard, address: string): void {
  const seconds = Math.ceil(guard.waitMs(address) / 1000);
  if (seconds === 0) return;
  throw new Problem('rate_limited', errorText('too_many_wrong_tokens', { seconds }), {
    headers: {
      'retry-after': String(seconds),
      'ratelimit-policy': `"wrong tokens";q=5;w=3600`,
      ratelimit: `"wrong tokens";r=0;t=${seconds}`,
    },
  });
}
