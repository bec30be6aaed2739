// Keeps webhooks and HTTP upstreams from reaching into the operator's network: an address is checked when it is set, and again
// when it is connected to, where the address that was looked up and checked is the very one that the socket goes to.

import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type AllowList, isPublicAddress } from '../domain/access/public-address.js';
import { type ErrorText, errorText } from '../domain/fault/error-text.js';
import { createNameLookup, type ResolveName } from './name-lookup.js';
import { resolveByDns } from './resolve-name.js';

export interface AddressGuard {
  /** What is wrong with an address, to complete "url …"; undefined when it may be set. */
  findFault(url: string, signal: AbortSignal): Promise<ErrorText | undefined>;
  /** Throws where the host is an address that may not be reached; names are checked by `lookup`. */
  requireReachable(url: URL): void;
  /** For one connection; the query ends with the signal. */
  lookupFor(url: URL, signal: AbortSignal): LookupFunction;
}

export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
  readonly code = 'FORBIDDEN_ADDRESS';
}

const FORBIDDEN = errorText('address_not_public');

export function createAddressGuard(
  allow: AllowList,
  resolve: ResolveName = createNameLookup(resolveByDns()),
): AddressGuard {
  const mayReach = (url: URL, address: string): boolean =>
    allow.names(hostOf(url), address) || (url.protocol === 'https:' && isPublicAddress(address));

  const resolveAll = (host: string, signal: AbortSignal): Promise<string[]> =>
    resolve(host, signal).then(
      (found) => found.map(({ address }) => address),
      () => [],
    );

  const lookUp = async (
    url: URL,
    host: string,
    signal: AbortSignal,
  ): Promise<readonly [LookupAddress, ...LookupAddress[]]> => {
    const found = await resolve(host, signal);
    const [first, ...others] = found;
    if (first === undefined || found.some(({ address }) => !mayReach(url, address)))
      throw new ForbiddenAddressError(FORBIDDEN.text);
    return [first, ...others];
  };

  return {
    async findFault(text, signal) {
      const url = parse(text);
      if (!(url instanceof URL)) return url;
      const host = hostOf(url);
      // An unknown name may be set: it is checked again for every connection.
      const addresses = isIP(host) === 0 ? await resolveAll(host, signal) : [host];
      if (
        url.protocol === 'http:' &&
        !(addresses.length > 0 && addresses.every((address) => allow.names(host, address)))
      ) {
        return errorText('not_https');
      }
      return addresses.every((address) => mayReach(url, address)) ? undefined : FORBIDDEN;
    },
    requireReachable(url) {
      const host = hostOf(url);
      if (isIP(host) !== 0 && !mayReach(url, host)) throw new ForbiddenAddressError(FORBIDDEN.text);
    },
    lookupFor: (url, signal) => (host, options, done) => {
      lookUp(url, host, signal).then(
        ([first, ...others]) => {
          if (options.all === true) done(null, [first, ...others]);
          else done(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => done(error, ''),
      );
    },
  };
}

/** The URL, or what is wrong with it. */
function parse(text: string): URL | ErrorText {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) return errorText('not_https');
  if (url.username !== '' || url.password !== '') return errorText('url_with_password');
  if (url.hash !== '') return errorText('url_with_fragment');
  return url;
}

/** Without the brackets of IPv6 and the dot that may end a name. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}
