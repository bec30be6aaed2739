// Whether a connection comes from the host of a channel. A name may have several addresses: the gateway may use any of them.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** A flood of connections causes one lookup, and a carrier that moves is let in soon. */
const KEEP_MS = 30_000;

export type AddressCheck = (remote: string) => Promise<boolean>;

export function createAddressCheck(host: string, clock: () => number): AddressCheck {
  if (isIP(host) !== 0) {
    const address = plainAddress(host);
    return async (remote) => plainAddress(remote) === address;
  }
  let addresses: Promise<readonly string[]> | undefined;
  let readAt = 0;
  return async (remote) => {
    if (addresses === undefined || clock() - readAt >= KEEP_MS) {
      readAt = clock();
      addresses = readAddresses(host);
    }
    return (await addresses).includes(plainAddress(remote));
  };
}

/** None when the name cannot be resolved. */
async function readAddresses(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => plainAddress(address));
  } catch {
    return [];
  }
}

/** A socket that listens on both families shows IPv4 addresses as `::ffff:192.0.2.1`. */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '');
}
