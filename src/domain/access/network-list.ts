// Addresses and networks of both families, such as `192.0.2.7` and `10.1.0.0/16`.

import { BlockList, isIP, isIPv4 } from 'node:net';

export interface NetworkList {
  includes(address: string): boolean;
}

export const NO_NETWORKS: NetworkList = { includes: () => false };

/** Undefined if an entry is neither an address nor a network. */
export function parseNetworks(entries: readonly string[]): NetworkList | undefined {
  const list = new BlockList();
  for (const entry of entries) {
    const [written = '', bits, ...rest] = entry.trim().split('/');
    const address = withoutMapping(written);
    const family = isIP(address);
    const width = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? width : Number(/^\d{1,3}$/.test(bits) ? bits : Number.NaN);
    if (family === 0 || rest.length > 0 || !(prefix <= width)) return undefined;
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    includes(address) {
      const plain = withoutMapping(address);
      return isIP(plain) !== 0 && list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
    },
  };
}

/** A socket that listens on both families shows IPv4 callers as `::ffff:192.0.2.1`. */
function withoutMapping(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
