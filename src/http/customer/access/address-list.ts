// The allow list of a credential: single addresses and CIDR ranges, of both families.

import { type NetworkList, NO_NETWORKS, parseNetworks } from '../../../domain/access/network-list.js';

/** Compiled once per list: the snapshot replaces the array when an operator changes it. */
const compiled = new WeakMap<readonly string[], NetworkList>();

/** An empty list allows every address. */
export function isAddressAllowed(allowList: readonly string[], address: string): boolean {
  if (allowList.length === 0) return true;
  let list = compiled.get(allowList);
  if (list === undefined) {
    // Entries were checked when they were stored; a list that cannot be read allows nothing.
    list = parseNetworks(allowList) ?? NO_NETWORKS;
    compiled.set(allowList, list);
  }
  return list.includes(address);
}
