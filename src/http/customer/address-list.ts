// The allow list of a credential: single addresses and CIDR ranges, of both families.

import { BlockList, isIP, isIPv4 } from 'node:net';

/** Compiled once per list: the snapshot replaces the array when an operator changes it. */
const compiled = new WeakMap<readonly string[], BlockList>();

/** An empty list allows every address. */
export function isAddressAllowed(allowList: readonly string[], address: string): boolean {
  if (allowList.length === 0) return true;
  let list = compiled.get(allowList);
  if (list === undefined) {
    list = compileList(allowList);
    compiled.set(allowList, list);
  }
  const plain = withoutMapping(address);
  return isIP(plain) !== 0 && list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
}

function compileList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [written = '', bits] = entry.split('/');
    const address = withoutMapping(written);
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (isIP(address) === 0) continue;
    if (bits === undefined) list.addAddress(address, family);
    else if (isPrefixLength(bits, family)) list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function isPrefixLength(bits: string, family: 'ipv4' | 'ipv6'): boolean {
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 'ipv4' ? 32 : 128);
}

/** A socket that listens on both families shows IPv4 callers as `::ffff:192.0.2.1`. */
function withoutMapping(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}
