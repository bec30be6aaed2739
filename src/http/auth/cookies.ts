// The cookies of the console. Over TLS their names begin with `__Host-`: a browser takes such a cookie from this very host and
// over TLS only, so that no other page of the domain can plant one.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Side } from '../../domain/entities/user.js';

export type CookieName =
  | `postrider_${Side}`
  | 'postrider_device'
  | 'postrider_pending'
  | 'postrider_oidc'
  | 'postrider_passkey';

export function readCookie(request: FastifyRequest, name: CookieName): string | undefined {
  const wanted = wireName(request, name);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, value] = pair.split('=', 2);
    if (key?.trim() === wanted && value !== undefined) return value.trim();
  }
  return undefined;
}

export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  name: CookieName,
  value: string,
  maxAgeSeconds: number,
  sameSite: 'Strict' | 'Lax' = 'Strict',
): void {
  const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', `SameSite=${sameSite}`];
  if (isSecure(request)) attributes.push('Secure');
  reply.header('set-cookie', [`${wireName(request, name)}=${value}`, ...attributes].join('; '));
}

export function clearCookie(request: FastifyRequest, reply: FastifyReply, name: CookieName): void {
  setCookie(request, reply, name, '', 0);
}

/**
 * Whether a page of ours asks, or no page at all. Browsers say where a request comes from, and no page can make them say
 * otherwise.
 */
export function isOwnPage(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = request.headers;
  return origin === undefined || origin.replace(/^https?:\/\//, '') === request.host;
}

function isSecure(request: FastifyRequest): boolean {
  return request.protocol === 'https';
}

function wireName(request: FastifyRequest, name: CookieName): string {
  return isSecure(request) ? `__Host-${name}` : name;
}
