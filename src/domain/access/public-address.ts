// Which addresses a webhook may lead to. A customer names the address and the service connects to it from inside the
// operator's network, so anything that is not public is refused, unless the operator names it.

import { BlockList, isIP } from 'node:net';
import { parseNetworks } from './network-list.js';

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

/** Whether an address is public: connecting to it gives access to nothing internal. */
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
  const entries = text.split(',').map((part) => part.trim().toLowerCase());
  const isNetwork = (entry: string) => isIP(entry.split('/')[0] ?? '') !== 0;
  const hosts = new Set(entries.filter((entry) => !isNetwork(entry)));
  const networks = parseNetworks(entries.filter(isNetwork));
  if (networks === undefined || [...hosts].some((host) => !HOST.test(host))) return undefined;
  return { names: (host, address) => hosts.has(host) || networks.includes(address) };
}
