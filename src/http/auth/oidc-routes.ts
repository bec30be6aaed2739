// Signing in with an OpenID provider: away to it, and back with a code. Both are navigations of the browser, not calls of a page,
// and end in a redirect to a page of the console.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SIDES, type Side } from '../../domain/entities/user.js';
import { recordAudit } from '../../store/operator/change.js';
import { originOf } from '../request-origin.js';
import { registerOtherMethods } from '../route.js';
import type { AuthParts } from './auth-route.js';
import { clearCookie, isOwnPage, readCookie, setCookie } from './cookies.js';
import type { OidcChecks, OidcClient } from './oidc-client.js';
import { findOidcUser } from './oidc-user.js';
import { startSession } from './start-session.js';

const START = '/auth/oidc/start';
const CALLBACK = '/auth/oidc/callback';
const CONTEXT = 'oidc sign-in';
const LIFETIME_SECONDS = 600;

/** What this browser waits for; sealed into a cookie. */
interface PendingOidc extends OidcChecks {
  readonly side: Side | undefined;
  readonly returnTo: string;
  readonly expiresAtMs: number;
}

/** What the console says where a sign-in fails. */
type Failure = 'failed' | 'refused';

export function registerOidc(app: FastifyInstance, parts: AuthParts, client: OidcClient): void {
  registerOtherMethods(app, [
    { method: 'GET', path: START },
    { method: 'GET', path: CALLBACK },
  ]);
  app.get(START, async (request, reply) => {
    if (!isOwnPage(request)) return fail(reply, 'failed');
    try {
      return reply.redirect(await begin(parts, client, request, reply));
    } catch (error) {
      request.log.warn({ err: error, request_id: request.id }, 'the OpenID provider cannot be reached');
      return fail(reply, 'failed');
    }
  });
  app.get(CALLBACK, async (request, reply) => {
    const pending = readPending(parts, request);
    // One answer for each start: what comes a second time finds nothing to compare with.
    clearCookie(request, reply, 'postrider_oidc');
    if (pending === undefined) return fail(reply, 'failed');
    let claims: Readonly<Record<string, unknown>>;
    try {
      claims = await client.finish(new URL(request.raw.url ?? '', parts.publicOrigin ?? originOf(request)), pending);
    } catch (error) {
      request.log.warn({ err: error, request_id: request.id }, 'a sign-in with the OpenID provider failed');
      await recordRefusal(parts, request, {});
      return fail(reply, 'failed');
    }
    const user = await findOidcUser(parts, client.settings, claims, pending.side);
    if (user === undefined) {
      await recordRefusal(parts, request, { email: claims.email });
      return fail(reply, 'refused');
    }
    await startSession(parts, { request, reply }, user, { method: 'oidc', keepsOtherSide: pending.side !== undefined });
    // The side goes behind the `#`: the page asks for its session.
    return reply.redirect(`${pending.returnTo}#signed-in=${user.side}`);
  });
}

async function begin(parts: AuthParts, client: OidcClient, request: FastifyRequest, reply: FastifyReply) {
  const query = new URL(request.raw.url ?? '', 'http://localhost').searchParams;
  const { url, checks } = await client.begin((parts.publicOrigin ?? originOf(request)) + CALLBACK);
  const pending: PendingOidc = {
    ...checks,
    side: SIDES.find((side) => side === query.get('side')),
    returnTo: chooseReturn(query.get('return_to')),
    expiresAtMs: parts.now() + LIFETIME_SECONDS * 1000,
  };
  const sealed = parts.sealer.seal(JSON.stringify(pending), CONTEXT).toString('base64url');
  // The provider leads back from another site, where browsers send no strict cookie.
  setCookie(request, reply, 'postrider_oidc', sealed, LIFETIME_SECONDS, 'Lax');
  return url;
}

function readPending({ sealer, now }: AuthParts, request: FastifyRequest): PendingOidc | undefined {
  try {
    const sealed = Buffer.from(readCookie(request, 'postrider_oidc') ?? '', 'base64url');
    const pending = JSON.parse(sealer.open(sealed, CONTEXT).toString('utf8')) as PendingOidc;
    return pending.expiresAtMs > now() ? pending : undefined;
  } catch {
    // None, or made up.
    return undefined;
  }
}

/** A page of the console and nothing else: an address of another host would make this service lead people there. */
export function chooseReturn(wanted: string | null): string {
  const isPage = wanted !== null && /^\/console\/[\w\-./~%]*(\?[\w\-./~%=&+:]*)?$/.test(wanted);
  return isPage && !wanted.includes('..') ? wanted : '/console/';
}

function fail(reply: FastifyReply, failure: Failure): FastifyReply {
  return reply.redirect(`/console/#sign-in-failed=${failure}`);
}

async function recordRefusal({ sql }: AuthParts, { ip }: FastifyRequest, change: object): Promise<void> {
  await recordAudit(sql, 'anonymous', {
    action: 'session.refuse',
    subject: '-',
    change: { ...change, method: 'oidc', address: ip },
  });
}
