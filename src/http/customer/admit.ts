// What stands between the socket and the handlers of the customer API.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CustomerConfig } from '../../store/configuration.js';
import type { SnapshotSource } from '../../store/snapshot.js';
import { Problem } from '../problem.js';
import { type RateLimiter, rateLimitHeaders } from '../rate-limit.js';
import type { ReadBody } from '../raw-body.js';
import { type Call, requestTargetOf } from '../route.js';
import { authenticate, readCredentials } from './authenticate.js';

export interface AdmitDeps {
  readonly snapshot: Pick<SnapshotSource, 'current' | 'refreshIfStale'>;
  readonly readBody: ReadBody;
  readonly limiter: RateLimiter;
  readonly now: () => number;
}

export interface AdmittedCustomer {
  readonly customer: CustomerConfig;
  readonly signature: Buffer;
  readonly rawBody: Buffer;
}

export interface CustomerCall extends Call {
  readonly customer: CustomerConfig;
  readonly signature: Buffer;
}

export function makeCustomerAdmission(deps: AdmitDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<AdmittedCustomer> => {
    const credentials = readCredentials(request.headers, deps.now());
    const rawBody = await deps.readBody(request.raw, reply.raw);
    const { customer } = await authenticate(
      deps.snapshot,
      credentials,
      {
        method: request.method,
        requestTarget: requestTargetOf(request),
        timestamp: credentials.timestamp,
        body: rawBody,
      },
      request.ip,
    );
    takeToken(deps.limiter, customer, reply);
    return { customer, signature: credentials.signature, rawBody };
  };
}

/** After the signature, so that nobody can use up the quota of someone else. */
function takeToken(limiter: RateLimiter, customer: CustomerConfig, reply: FastifyReply): void {
  const state = limiter.take(String(customer.customerId), customer.requestsPerSecond);
  reply.headers(rateLimitHeaders(state));
  if (state.allowed) return;
  throw new Problem('rate_limited', `The limit is ${state.perSecond} requests per second.`, {
    headers: { 'retry-after': '1' },
  });
}
