// What stands between the socket and the handlers of the operator API: the bearer token.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Bodies } from '../bodies.js';
import { Problem } from '../problem.js';

const BEARER = /^Bearer ([\x21-\x7e]+)$/i;
/** Whoever has the token of the configuration. */
const ROOT = 'root';

const CHALLENGE = { 'www-authenticate': 'Bearer realm="postrider operator"' };

/** Operators share one part of the memory for bodies. No API key has a space in it. */
const OPERATOR = 'the operator';

export function makeOperatorAdmission(operatorToken: string, bodies: Bodies) {
  const expected = digest(operatorToken);
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ readonly rawBody: Buffer; readonly actor: string }> => {
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) {
      throw new Problem('missing_credentials', 'Send the operator token as Authorization: Bearer <token>.', {
        headers: CHALLENGE,
      });
    }
    // Digests have one length, so the comparison tells nothing, not even how long the token is.
    if (!timingSafeEqual(digest(token), expected)) {
      throw new Problem('invalid_signature', 'The operator token is not valid.', { headers: CHALLENGE });
    }
    const account = bodies.verified(OPERATOR);
    const { bytes } = await bodies.read(request.raw, reply.raw, { account, isKept: true });
    return { rawBody: bytes, actor: ROOT };
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
