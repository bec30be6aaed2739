// Every driver of the registry passes the conformance suite; one without a subject here does not compile.
import type { DriverDeps } from '../../src/channels/driver.js';
import { CHANNEL_DRIVERS, type ChannelKind } from '../../src/channels/registry.js';
import { createAddressGuard } from '../../src/outbound/address-guard.js';
import { type ConformanceSubjects, describeChannel, describeLogins } from './channel-conformance.js';
import { cmppSubjects } from './cmpp/conformance.js';
import { httpSubjects } from './http-upstream/conformance.js';
import { sgipSubjects } from './sgip/conformance.js';
import { simulatorSubjects } from './simulator/conformance.js';
import { smgpSubjects } from './smgp/conformance.js';
import { smppSubjects } from './smpp/conformance.js';
import { silentLog } from './smpp/peer.js';

const SUBJECTS: Readonly<Record<ChannelKind, ConformanceSubjects>> = {
  smpp: smppSubjects,
  cmpp: cmppSubjects,
  smgp: smgpSubjects,
  http: httpSubjects,
  sgip: sgipSubjects,
  simulator: simulatorSubjects,
};

/** The other kinds have no sessions that a carrier could send over by itself. */
const WITH_LOGINS: readonly string[] = ['smpp', 'cmpp', 'smgp', 'sgip'] satisfies ChannelKind[];

const deps: DriverDeps = {
  log: silentLog,
  clock: () => performance.now(),
  now: Date.now,
  random: Math.random,
  meter: () => () => {},
  guard: createAddressGuard({ names: () => true }),
};

for (const [kind, subjects] of Object.entries(SUBJECTS)) {
  const { alphabet } = CHANNEL_DRIVERS[kind as ChannelKind].traits;
  for (const [name, open] of Object.entries(subjects)) {
    describeChannel(name, alphabet, () => open(deps));
    if (WITH_LOGINS.includes(kind)) describeLogins(name, alphabet, (changes) => open(deps, changes));
  }
}
