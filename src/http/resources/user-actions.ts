// Users as both APIs manage them: operators their own and those of customers, customers theirs.

import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { CUSTOMER_ROLES, ROLES } from '../../domain/access/permissions.js';
import {
  INVITATION_DAYS,
  PASSWORD_RESET_MINUTES,
  type User,
  type UserPatch,
  type UserSide,
  type UserTerms,
} from '../../domain/entities/user.js';
import { errorText } from '../../domain/fault/error-text.js';
import { formatNo } from '../../domain/id.js';
import { toPlain } from '../../domain/plain.js';
import type { SendUserMail } from '../../outbound/user-mail.js';
import type { ActorContext } from '../../store/operator/change.js';
import { createPasswordReset } from '../../store/user/password-reset.js';
import {
  changeUser,
  createUser,
  inviteUser,
  MAX_INVITATIONS,
  removeUser,
  TOO_MANY,
  type UserOutcome,
} from '../../store/user/user.js';
import { notFound, Problem } from '../problem/problem.js';
import { rateLimited } from '../problem/rate-limited.js';
import { oneOf } from '../query/list-query.js';
import { originOf } from '../request-origin.js';
import { hashToken } from '../token-hash.js';
import { answerOf, changed, orNull, Time } from './entity-answers.js';

export interface UserDeps {
  readonly nextId: () => bigint;
  readonly randomBytes: (count: number) => Buffer;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Where people reach the service, as configured; absent: as each request says. */
  readonly publicOrigin?: string | undefined;
  /** Absent where no mail server or no public address is set. Does not throw. */
  readonly sendUserMail?: SendUserMail | undefined;
}

const describe = ($id: string, roles: readonly string[], more: Record<string, TSchema> = {}) =>
  answerOf($id, {
    user_no: Type.String(),
    email: Type.String(),
    name: Type.String(),
    role: oneOf(roles, 'What the user may do.'),
    status: oneOf(['active', 'disabled'], 'A disabled user cannot sign in.'),
    accepted_at: orNull(Time('When the invitation was accepted; null while it is open.')),
    invitation_expires_at: orNull(Time('When the open invitation expires.')),
    last_signed_in_at: orNull(Time()),
    ...changed,
    ...more,
  });
const link = {
  invitation_url: Type.String({
    description: `Where the user chooses a password: shown this once, works once, for ${INVITATION_DAYS} days.`,
  }),
};

const resetLink = {
  password_reset_url: Type.String({
    description: `Where the user chooses a new password: shown this once, works once, for ${PASSWORD_RESET_MINUTES} minutes.`,
  }),
  password_reset_expires_at: Time(),
};

export const userAnswers = {
  operator: describe('OperatorUser', ROLES),
  newOperator: describe('NewOperatorUser', ROLES, link),
  operatorReset: describe('OperatorUserPasswordReset', ROLES, resetLink),
  customer: describe('CustomerUser', CUSTOMER_ROLES),
  newCustomer: describe('NewCustomerUser', CUSTOMER_ROLES, link),
  customerReset: describe('CustomerUserPasswordReset', CUSTOMER_ROLES, resetLink),
} as const;

export const userFilters = { status: oneOf(['active', 'disabled'], 'Only with this status.') } as const;

export async function createInvitedUser(
  deps: UserDeps,
  acting: ActorContext,
  side: UserSide,
  terms: UserTerms,
  request: FastifyRequest,
) {
  const { token, ...invitation } = issueInvitation(deps);
  const userId = deps.nextId();
  const user = await createUser(acting, side, terms, { userId, userNo: formatNo('N', userId), ...invitation });
  if (user === TOO_MANY) throw tooManyInvitations();
  if (user === undefined) throw new Problem('already_exists', errorText('email_taken'));
  return showInvitation(deps, user, linkOf(deps, request, token));
}

/** The call does not wait for the mail server: the link is in its answer. */
function showInvitation({ sendUserMail }: UserDeps, user: User, url: string) {
  void sendUserMail?.({ kind: 'invitation', email: user.email, url });
  return { ...renderUser(user), user_no: user.user_no, invitation_url: url };
}

function tooManyInvitations(): Problem {
  const { address, customer } = MAX_INVITATIONS;
  const quota = { name: 'invitations', count: address, windowSeconds: 3600 };
  return rateLimited(errorText('too_many_invitations', { address, customer }), quota, 3600);
}

/** For a link that was lost, and for a password that was forgotten. */
export async function inviteAgain(
  deps: UserDeps,
  acting: ActorContext,
  side: UserSide,
  userNo: string,
  request: FastifyRequest,
) {
  const { token, ...invitation } = issueInvitation(deps);
  const user = await inviteUser(acting, side, userNo, invitation);
  if (user === undefined) throw notFound();
  if (user === TOO_MANY) throw tooManyInvitations();
  return showInvitation(deps, user, linkOf(deps, request, token));
}

/** For a password that was forgotten, where no mail is sent. */
export async function createResetLink(
  deps: UserDeps,
  acting: ActorContext,
  side: UserSide,
  userNo: string,
  request: FastifyRequest,
) {
  const token = deps.randomBytes(TOKEN_BYTES).toString('base64url');
  const link = await createPasswordReset(acting, side, userNo, hashToken(token));
  if (link === undefined) throw notFound();
  return {
    ...renderUser(link.user),
    password_reset_url: passwordResetUrl(deps.publicOrigin ?? originOf(request), token),
    password_reset_expires_at: link.expiresAt.toISOString(),
  };
}

export function passwordResetUrl(origin: string, token: string): string {
  return `${origin}/console/password-reset/${token}`;
}

export async function patchUser(acting: ActorContext, side: UserSide, userNo: string, patch: UserPatch) {
  return renderOutcome(await changeUser(acting, side, userNo, patch));
}

export async function deleteUser(acting: ActorContext, side: UserSide, userNo: string) {
  return renderOutcome(await removeUser(acting, side, userNo));
}

export function renderUser({ user_id: _id, customer_id: _customer, side: _side, ...user }: User) {
  return toPlain(user);
}

function renderOutcome(outcome: UserOutcome) {
  switch (outcome.kind) {
    case 'ok':
      return renderUser(outcome.user);
    case 'unknown':
      throw notFound();
    case 'last_admin':
      throw new Problem('last_admin', errorText('last_admin'));
  }
}

const TOKEN_BYTES = 32;

function issueInvitation({ randomBytes, now }: UserDeps) {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const invitationExpiresAt = new Date(now() + INVITATION_DAYS * 24 * 3_600_000);
  return { token, invitationHash: hashToken(token), invitationExpiresAt };
}

function linkOf({ publicOrigin }: UserDeps, request: FastifyRequest, token: string): string {
  return `${publicOrigin ?? originOf(request)}/console/invitations/${token}`;
}
