// The address that passkeys belong to. Browsers bind a passkey to a host name and sign the origin of the page, so that a page at another
// address cannot use it. The address is configured: a header could be forged by the caller.

import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { errorText } from '../../../domain/fault/error-text.js';
import { Problem } from '../../problem/problem.js';
import { originOf } from '../../request-origin.js';

export interface RelyingParty {
  readonly origin: string;
  /** The host name that passkeys are bound to. */
  readonly id: string;
}

/**
 * Undefined where there are no passkeys. Without a configured address only `localhost` has them: no other machine can be meant
 * by it.
 */
export function findRelyingParty(publicOrigin: string | undefined, request: FastifyRequest): RelyingParty | undefined {
  const origin = publicOrigin ?? originOf(request);
  if (!URL.canParse(origin)) return undefined;
  const { hostname } = new URL(origin);
  if (publicOrigin === undefined ? hostname !== 'localhost' : isAddress(hostname)) return undefined;
  return { origin, id: hostname };
}

export function requireRelyingParty(publicOrigin: string | undefined, request: FastifyRequest): RelyingParty {
  const party = findRelyingParty(publicOrigin, request);
  if (party === undefined) throw new Problem('not_found', errorText('passkeys_not_available'));
  return party;
}

/** Browsers bind no passkey to an address without a name. */
function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}
