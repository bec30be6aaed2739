// Names by which the service and the command line find the demo. In a separate file, so that the command line does not load a
// database driver for them.

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
