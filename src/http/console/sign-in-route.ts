// The exchange of a sign-in code for the credentials it stands for, for browsers on this machine only.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ErrorText, errorText } from '../../domain/request/error-text.js';
import type { Bodies } from '../bodies.js';
import { parseJsonBody } from '../json-body.js';
import { requireJsonBody } from '../media-type.js';
import { Problem } from '../problem.js';
import { isAtThisMachine } from '../this-machine.js';
import type { SignInCodes } from './sign-in-codes.js';

export const SIGN_IN_PATH = '/console/sign-in';

export function registerSignIn(app: FastifyInstance, codes: SignInCodes, bodies: Bodies): void {
  app.route({
    method: 'POST',
    url: SIGN_IN_PATH,
    handler: async (request, reply) => {
      if (!isAtThisMachine(request) || !isOwnPage(request)) throw refuse(errorText('sign_in_elsewhere'));
      requireJsonBody(request.headers);
      const account = bodies.invented(SIGN_IN_PATH, request.ip);
      const { bytes } = await bodies.read(request.raw, reply.raw, { account, isKept: true });
      const grant = await codes.redeem(readCode(parseJsonBody(bytes)));
      if (grant === undefined) throw refuse(errorText('sign_in_link_used'));
      return grant;
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

/** A page of another origin is not let in either: its author would learn what the code stands for. */
function isOwnPage({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  return headers.origin === undefined || headers.origin.replace(/^https?:\/\//, '') === headers.host;
}
