import { cmppDriver } from '../../../src/channels/cmpp/driver.js';
import { startCmppCentre } from '../../../tools/message-centre/message-centre.js';
import type { ConformanceSubjects } from '../channel-conformance.js';
import { createConfig } from './peer.js';

const TIMES = { port: 0, lateMs: 1_000, redeliverMs: 200 };

export const cmppSubjects: ConformanceSubjects = {
  'CMPP 2.0': async (deps, changes) => {
    const centre = await startCmppCentre({ ...TIMES, ...changes });
    const config = createConfig(centre.port, { response_timeout_ms: 800, sessions: 2 });
    const open = () => cmppDriver.open(config, deps);
    return { channel: open(), sessions: { centre, logins: 2, reopen: open }, stop: () => centre.stop() };
  },
  'CMPP 3.0': async (deps, changes) => {
    const login = { systemId: '9001', password: 'demo' };
    const faults = { receipts: 'mixed', earlyRate: 0.3, poisonRate: 0.3 } as const;
    const centre = await startCmppCentre({ ...TIMES, ...login, ...faults, ...changes });
    const config = createConfig(centre.port, {
      response_timeout_ms: 800,
      version: '3.0',
      account: '9001',
      password: 'demo',
      national_numbers: false,
    });
    const open = () => cmppDriver.open(config, deps);
    return { channel: open(), sessions: { centre, logins: 1, reopen: open }, stop: () => centre.stop() };
  },
};
