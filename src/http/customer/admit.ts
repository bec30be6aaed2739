// What stands between the socket and the handlers of the customer API.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { scopeOf } from '../../domain/access/permissions.js';
import type { CredentialConfig } from '../../domain/entities/credential.js';
import type { CustomerConfig } from '../../domain/entities/customer.js';
import { errorText } from '../../domain/request/error-text.js';
import type { SnapshotSource } from '../../store/snapshot/source.js';
import type { Bodies } from '../bodies.js';
import type { FairTurns } from '../fair-turns.js';
import { Problem } from '../problem.js';
import { type RateLimiter, type RateLimitState, rateLimitHeaders } from '../rate-limit.js';
import { type Call, type Operation, requestTargetOf } from '../route.js';
import { type FindViewer, readViewToken } from '../view-grant.js';
import { authenticate, findOwner, readCredentials } from './authenticate.js';

export interface AdmitDeps {
  readonly snapshot: Pick<SnapshotSource, 'current' | 'refreshIfStale'>;
  readonly bodies: Bodies;
  readonly limiter: RateLimiter;
  readonly turns: FairTurns;
  readonly findViewer: FindViewer;
  readonly noteKeyUsed: (apiKey: string) => void;
  readonly now: () => number;
}

export interface AdmittedCustomer {
  readonly customer: CustomerConfig;
  /** Undefined for an operator who views as the customer. */
  readonly apiKey: string | undefined;
  readonly signature: Buffer;
  readonly rawBody: Buffer;
}

export interface CustomerCall extends Call {
  readonly customer: CustomerConfig;
  readonly apiKey: string | undefined;
  readonly signature: Buffer;
  readonly rawBody: Buffer;
}

export function createCustomerAdmission(deps: AdmitDeps) {
  const { bodies } = deps;
  return async (request: FastifyRequest, reply: FastifyReply, operation: Operation): Promise<AdmittedCustomer> => {
    const { authorization } = request.headers;
    if (authorization !== undefined && request.headers['x-api-key'] === undefined) {
      const token = readViewToken(authorization);
      if (token !== undefined) return admitViewer(deps, token, operation, reply);
    }
    const nowMs = deps.now();
    const credentials = readCredentials(request.headers, nowMs);
    const { apiKey, timestamp, signature } = credentials;
    const owner = await findOwner(deps.snapshot, apiKey, nowMs);
    const account = (owner === undefined ? bodies.invented : bodies.claimed)(apiKey, request.ip);
    const body = await bodies.read(request.raw, reply.raw, { account, isKept: owner !== undefined });
    const parts = {
      method: request.method,
      requestTarget: requestTargetOf(request),
      timestamp,
      bodySha256: body.sha256,
    };
    const { customer, credential } = await authenticate(deps.snapshot, owner, credentials, parts, request.ip, nowMs);
    deps.noteKeyUsed(apiKey);
    bodies.prove(apiKey, request.ip);
    body.chargeTo(bodies.verified(apiKey));
    // A refusal takes a turn, too: thousands of them cost as much as anything else.
    const rate = await deps.limiter.take(String(customer.customerId), customer.requestsPerSecond);
    await deps.turns.enter(customer.customerId, reply.raw);
    requireRate(rate, reply);
    requireScope(credential, operation);
    return { customer, apiKey, signature, rawBody: body.bytes };
  };
}

const NOTHING = Buffer.alloc(0);
/** A page of the console asks for some ten things at once; the customer's own quota is not touched. */
const VIEWS_PER_SECOND = 100;

/** An operator who sees what the customer sees, and can change nothing. */
async function admitViewer(
  { findViewer, limiter }: AdmitDeps,
  token: string,
  operation: Operation,
  reply: FastifyReply,
): Promise<AdmittedCustomer> {
  const viewer = await findViewer(token);
  if (viewer === undefined) throw new Problem('invalid_signature', errorText('view_ended'));
  requireRate(await limiter.take(`view by ${viewer.actor}`, VIEWS_PER_SECOND), reply);
  if (operation.method !== 'GET') throw new Problem('not_permitted', errorText('view_reads_only'));
  return { customer: viewer.customer, apiKey: undefined, signature: NOTHING, rawBody: NOTHING };
}

function requireScope({ scopes }: CredentialConfig, { method, path }: Operation): void {
  const scope = scopeOf(method, path);
  if (scopes.includes(scope)) return;
  throw new Problem('not_permitted', errorText('scope_needed', { scope, scopes: scopes.join(', ') }));
}

/** After the signature, so that nobody can use up the quota of someone else. */
function requireRate(state: RateLimitState, reply: FastifyReply): void {
  reply.headers(rateLimitHeaders(state));
  if (state.allowed) return;
  throw new Problem('rate_limited', errorText('request_rate', { max: state.perSecond }), {
    headers: { 'retry-after': '1' },
  });
}
