// Which addresses a webhook may lead to. A customer names the address and the service connects to it from inside the
// operator's network, so anything that is not public is refused, unless the operator names it.

import { BlockList, isIP } from 'node:net';

const PRIVATE_4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Where clouds tell machines their secrets.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** Within the public 2000::/3: protocol assignments and tunnels, documentation, and what carries an IPv4 address inside. */
const PRIVATE_6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const private4 = new BlockList();
for (const [net, bits] of PRIVATE_4) private4.addSubnet(net, bits, 'ipv4');
const public6 = new BlockList();
public6.addSubnet('2000::', 3, 'ipv6');
const private6 = new BlockList();
for (const [net, bits] of PRIVATE_6) private6.addSubnet(net, bits, 'ipv6');

/** Everybody can reach it, so that connecting to it gives nobody anything. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !private4.check(address, 'ipv4');
  return family === 6 && public6.check(address, 'ipv6') && !private6.check(address, 'ipv6');
}

/** Hosts and networks that the operator lets webhooks reach although they are not public, and without TLS. */
export interface AllowList {
  names(host: string, address: string): boolean;
}

export const NOTHING_ALLOWED: AllowList = { names: () => false };

const HOST = /^[a-z0-9]([a-z0-9._-]{0,251}[a-z0-9])?$/;

/** Undefined when an entry is neither a host, an address nor a network. */
export function parseAllowList(text: string): AllowList | undefined {
  const hosts = new Set<string>();
  const networks = new BlockList();
  for (const entry of text.split(',').map((part) => part.trim().toLowerCase())) {
    const [address = '', bits, ...rest] = entry.split('/');
    const family = isIP(address);
    if (family === 0) {
      if (bits !== undefined || !HOST.test(entry)) return undefined;
      hosts.add(entry);
      continue;
    }
    const width = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? width : Number(/^\d{1,3}$/.test(bits) ? bits : Number.NaN);
    if (rest.length > 0 || !(prefix <= width)) return undefined;
    networks.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    names: (host, address) => hosts.has(host) || networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'),
  };
}
