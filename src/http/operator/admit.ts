// What stands between the socket and the handlers of the operator API: the bearer token.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem.js';
import type { ReadBody } from '../raw-body.js';

const BEARER = /^Bearer ([\x21-\x7e]+)$/i;
const CHALLENGE = { 'www-authenticate': 'Bearer realm="postrider operator"' };

export function makeOperatorAdmission(operatorToken: string, readBody: ReadBody) {
  const expected = digest(operatorToken);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<{ readonly rawBody: Buffer }> => {
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
    return { rawBody: await readBody(request.raw, reply.raw) };
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
