// Authenticates requests to the customer API and applies rate limit, fairness and scopes, before a handler runs.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Scope, scopeOf, scopesOfRole, usableScopes } from '../../../domain/access/permissions.js';
import type { CredentialConfig } from '../../../domain/entities/credential.js';
import type { CustomerConfig } from '../../../domain/entities/customer.js';
import { actorOf } from '../../../domain/entities/user.js';
import { errorText } from '../../../domain/fault/error-text.js';
import type { SnapshotSource } from '../../../store/snapshot/source.js';
import type { ActiveSession, AuthenticateSession } from '../../auth/session-auth.js';
import type { Bodies } from '../../body/bodies.js';
import { type RateLimiter, type RateLimitState, rateLimitHeaders } from '../../limits/rate-limit.js';
import type { RequestFairness } from '../../limits/request-fairness.js';
import { Problem } from '../../problem/problem.js';
import { rateLimited } from '../../problem/rate-limited.js';
import { type Call, type Operation, requestTargetOf } from '../../route.js';
import { type FindViewer, readViewToken } from '../../view-grant.js';
import { authenticate, findOwner, readCredentials, requireActive } from './authenticate.js';

export interface AdmitDeps {
  readonly snapshot: Pick<SnapshotSource, 'current' | 'refreshIfStale'>;
  readonly bodies: Bodies;
  readonly limiter: RateLimiter;
  readonly fairness: RequestFairness;
  readonly authenticateSession: AuthenticateSession;
  readonly findViewer: FindViewer;
  readonly randomBytes: (count: number) => Buffer;
  readonly noteKeyUsed: (apiKey: string) => void;
  readonly now: () => number;
}

export interface AdmittedCustomer {
  readonly customer: CustomerConfig;
  /** The caller's name in the audit log. */
  readonly actor: string;
  /** The signature by a key. For a user it is random, so that each request is distinct; for a viewer, who only reads, it is empty. */
  readonly signature: Buffer;
  readonly rawBody: Buffer;
  /** Set for a key, not for a user. */
  readonly key?: Pick<CredentialConfig, 'ipAllow' | 'expiresAt'>;
  /** Sees masked phone numbers only. */
  readonly isMasked?: boolean;
  /** Sees texts of codes without the code: operators, and users and keys that only look on. */
  readonly hidesCodes?: boolean;
}

export interface CustomerCall extends Call, AdmittedCustomer {}

interface AuthenticatedCaller extends AdmittedCustomer {
  readonly scopes: readonly Scope[];
  /** Set for a user, not for a key. */
  readonly role?: string;
}

export function createCustomerAdmission(deps: AdmitDeps) {
  return async (request: FastifyRequest, reply: FastifyReply, operation: Operation): Promise<AdmittedCustomer> => {
    const { authorization } = request.headers;
    const isSigned = request.headers['x-api-key'] !== undefined;
    if (authorization !== undefined && !isSigned) {
      const token = readViewToken(authorization);
      if (token !== undefined) return admitViewer(deps, token, operation, reply);
    }
    const session = isSigned ? undefined : await deps.authenticateSession(request, 'customer');
    const caller =
      session === undefined
        ? await authenticateSignature(deps, request, reply)
        : await authenticateUser(deps, session, request, reply);
    // After authentication, so that a caller cannot use up the quota of another customer. Rejected requests wait, too:
    // thousands of them cost as much as accepted ones.
    const rate = await deps.limiter.take(String(caller.customer.customerId), caller.customer.requestsPerSecond);
    await deps.fairness.enter(caller.customer.customerId, reply.raw);
    requireRate(rate, reply);
    requireScope(caller, operation);
    return caller;
  };
}

async function authenticateSignature(
  deps: AdmitDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AuthenticatedCaller> {
  const { bodies } = deps;
  // `ip` is read once: behind proxies, each read parses a header.
  const { ip, method } = request;
  const nowMs = deps.now();
  const credentials = readCredentials(request.headers, nowMs);
  const { apiKey, timestamp, signature } = credentials;
  const owner = await findOwner(deps.snapshot, apiKey, nowMs);
  const memoryAccount = (owner === undefined ? bodies.anonymous : bodies.unverified)(apiKey, ip);
  const body = await bodies.read(request.raw, reply.raw, { account: memoryAccount, isBuffered: owner !== undefined });
  const signed = {
    method,
    requestTarget: requestTargetOf(request),
    timestamp,
    bodySha256: body.sha256,
  };
  const { customer, credential } = await authenticate(deps.snapshot, owner, credentials, signed, ip, nowMs);
  deps.noteKeyUsed(apiKey);
  bodies.noteVerified(apiKey, ip);
  body.chargeTo(bodies.verified(apiKey));
  return {
    customer,
    actor: `key ${apiKey}`,
    key: credential,
    scopes: usableScopes(credential.scopes),
    isMasked: credential.scopes.includes('masked'),
    hidesCodes: credential.scopes.includes('masked'),
    signature,
    rawBody: body.bytes,
  };
}

async function authenticateUser(
  { snapshot, bodies, randomBytes }: AdmitDeps,
  { user }: ActiveSession,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AuthenticatedCaller> {
  const customerId = user.customer_id;
  if (customerId === null) throw new Error('a user of a customer has no customer');
  const findCustomer = () => snapshot.current().customer(customerId);
  if (findCustomer() === undefined) await snapshot.refreshIfStale();
  const customer = findCustomer();
  if (customer === undefined) throw new Error('a user has a customer that does not exist');
  requireActive(customer);
  const memoryAccount = bodies.verified(actorOf(user));
  const { bytes } = await bodies.read(request.raw, reply.raw, { account: memoryAccount, isBuffered: true });
  const signature = randomBytes(SIGNATURE_BYTES);
  return {
    customer,
    actor: actorOf(user),
    scopes: scopesOfRole(user.role),
    role: user.role,
    hidesCodes: user.role === 'viewer',
    signature,
    rawBody: bytes,
  };
}

const SIGNATURE_BYTES = 32;
const NOTHING = Buffer.alloc(0);
/** A console page sends about ten requests at once. Views do not count against the customer's quota. */
const VIEWS_PER_SECOND = 100;

/** An operator with read-only access to the customer's data. */
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
  return { customer: viewer.customer, actor: viewer.actor, hidesCodes: true, signature: NOTHING, rawBody: NOTHING };
}

function requireScope({ scopes, role }: AuthenticatedCaller, { method, path }: Operation): void {
  const scope = scopeOf(method, path);
  if (scopes.includes(scope)) return;
  const granted = scopes.join(', ');
  throw new Problem(
    'not_permitted',
    role === undefined
      ? errorText('scope_needed', { scope, scopes: granted })
      : errorText('role_with_scope_needed', { scope, role, scopes: granted }),
  );
}

function requireRate(state: RateLimitState, reply: FastifyReply): void {
  reply.headers(rateLimitHeaders(state));
  if (state.allowed) return;
  const quota = { name: 'default', count: state.perSecond, windowSeconds: 1 };
  throw rateLimited(errorText('request_rate', { max: state.perSecond }), quota, 1);
}
