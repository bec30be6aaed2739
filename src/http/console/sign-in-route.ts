// Exchanges a sign-in code for a session of its user, for browsers on this machine only.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorText, errorText } from '../../domain/fault/error-text.js';
import type { Bodies } from '../body/bodies.js';
import { parseJsonBody } from '../body/json-body.js';
import { requireJsonBody } from '../media-type.js';
import { Problem } from '../problem/problem.js';
import { registerOtherMethods } from '../route.js';
import { isAtThisMachine } from '../this-machine.js';
import type { SignInCodes, SignInGrant } from './sign-in-codes.js';

const SIGN_IN_PATH = '/console/sign-in';

/** Sets the cookies and answers as `GET /auth/session` does. Undefined when the user may not sign in. */
export type SignInByGrant = (
  call: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  grant: SignInGrant,
) => Promise<object | undefined>;

export function registerSignIn(app: FastifyInstance, codes: SignInCodes, bodies: Bodies, signIn: SignInByGrant): void {
  registerOtherMethods(app, [{ method: 'POST', path: SIGN_IN_PATH }]);
  app.route({
    method: 'POST',
    url: SIGN_IN_PATH,
    handler: async (request, reply) => {
      if (!isAtThisMachine(request) || !isOwnPage(request)) throw refuse(errorText('sign_in_elsewhere'));
      requireJsonBody(request.headers);
      const account = bodies.anonymous(SIGN_IN_PATH, request.ip);
      const { bytes } = await bodies.read(request.raw, reply.raw, { account, isBuffered: true });
      const grant = await codes.redeem(readCode(parseJsonBody(bytes)));
      const session = grant && (await signIn({ request, reply }, grant));
      if (session === undefined) throw refuse(errorText('sign_in_link_used'));
      return session;
    },
  });
}

function refuse(detail: ErrorText): Problem {
  return new Problem('not_found', detail);
}

function readCode(body: unknown): string {
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** A page of another origin must not choose who is signed in here. */
function isOwnPage({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  return headers.origin === undefined || headers.origin.replace(/^https?:\/\//, '') === headers.host;
}
