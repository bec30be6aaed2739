// Names by which the service and the command line find the demo. Apart from the demo itself, so that the command line need
// not load a database driver to know them.

/** In the data folder. */
export const DEMO_FILE = 'demo.json';

const CARRIER_PREFIX = 'Demo over ';

/** The channel that `postrider demo-carrier` and `demo-smpp` make for this protocol. */
export function nameDemoCarrier(protocol: string): string {
  return CARRIER_PREFIX + protocol;
}

export function isDemoCarrier(name: string): boolean {
  return name.startsWith(CARRIER_PREFIX);
}
