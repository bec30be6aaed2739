// What the operations of `/auth` share.

import type { Static, TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SIDES, type Side } from '../../domain/entities/user.js';
import { errorText } from '../../domain/fault/error-text.js';
import type { SendUserMail } from '../../outbound/user-mail.js';
import type { Sealer } from '../../store/secrets/seal.js';
import type { SnapshotSource } from '../../store/snapshot/source.js';
import type { Sql } from '../../store/sql.js';
import type { Bodies } from '../body/bodies.js';
import { checkBody } from '../body/check-body.js';
import type { SignInCodes } from '../console/sign-in-codes.js';
import type { GuessGuard } from '../limits/guess-guard.js';
import { Problem } from '../problem/problem.js';
import { oneOf, parseWordsQuery } from '../query/list-query.js';
import type { Call, Operation, Route } from '../route.js';
import type { AttemptGuard } from './attempt-guard.js';
import { isOwnPage, readCookie } from './cookies.js';
import type { OidcClient } from './oidc-client.js';
import type { PasswordHasher } from './password-hasher.js';
import type { ActiveSession, AuthenticateSession } from './session-auth.js';

export interface AuthDeps {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly snapshot: Pick<SnapshotSource, 'current' | 'refreshIfStale'>;
  readonly authenticateSession: AuthenticateSession;
  readonly hasher: PasswordHasher;
  /** For the links of the start banner; without it there are none. */
  readonly signInCodes?: SignInCodes;
  /** Absent: there is no single sign-on. */
  readonly oidc?: OidcClient | undefined;
  /** Where people reach the service, as configured; absent: as each request says. */
  readonly publicOrigin?: string | undefined;
  /** Absent where no mail server or no public address is set. Does not throw. */
  readonly sendUserMail?: SendUserMail | undefined;
  readonly nextId: () => bigint;
  readonly randomBytes: (count: number) => Buffer;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
}

/** What lives as long as the API. */
export interface AuthParts extends AuthDeps {
  readonly guard: AttemptGuard;
  /** Slows down wrong answers of passkeys; a right one always passes, because a signature cannot be guessed. */
  readonly passkeyGuard: GuessGuard;
  /** Slows down who asks for many links. */
  readonly resetGuard: GuessGuard;
}

export interface AuthCall extends Call {
  /** Undefined for operations that are open to everyone. */
  readonly session: ActiveSession | undefined;
}

export type AuthRoute = Route<AuthCall>;

export const sideQuery = {
  side: oneOf(SIDES, 'Which session, where the browser has one on each side.'),
};

/** An operation of someone who is signed in. */
export function sessionRoute(
  route: Omit<AuthRoute, 'handle' | 'tag' | 'problems' | 'query'> & {
    readonly problems?: Operation['problems'];
    readonly handle: (call: AuthCall, session: ActiveSession) => Promise<unknown>;
  },
): AuthRoute {
  return {
    ...route,
    tag: TAG,
    query: sideQuery,
    problems: ['missing_credentials', 'not_permitted', ...(route.problems ?? [])],
    handle: async (call) => {
      if (call.session === undefined) throw new Error('a session route was reached without a session');
      return route.handle(call, call.session);
    },
  };
}

export const TAG = 'Sign-in';

export function readAuthBody<Schema extends TSchema>(schema: Schema, call: Call): Static<Schema> {
  return checkBody(schema, call.body, { defaults: true });
}

/** The session of the side that was asked for, else of the one side that the browser is signed in to. */
export function createAuthAdmission({ authenticateSession }: AuthDeps, bodies: Bodies) {
  return async (request: FastifyRequest, reply: FastifyReply, operation: Operation) => {
    const account = bodies.anonymous(operation.path, request.ip);
    if (operation.isOpen === true) {
      if (!isOwnPage(request)) throw new Problem('not_permitted', errorText('sign_in_from_other_origin'));
      const { bytes } = await bodies.read(request.raw, reply.raw, { account, isBuffered: true });
      return { rawBody: bytes, session: undefined };
    }
    const session = await authenticateSession(request, chooseSide(request));
    if (session === undefined) throw new Problem('missing_credentials', errorText('session_missing'));
    const { bytes } = await bodies.read(request.raw, reply.raw, { account, isBuffered: true });
    return { rawBody: bytes, session };
  };
}

function chooseSide(request: FastifyRequest): Side {
  const { side } = parseWordsQuery(sideQuery, request.raw.url ?? '');
  return side ?? SIDES.find((one) => hasCookie(request, one)) ?? 'customer';
}

/** A cookie that was cleared may come back empty. */
function hasCookie(request: FastifyRequest, side: Side): boolean {
  return (readCookie(request, `postrider_${side}`) ?? '') !== '';
}
