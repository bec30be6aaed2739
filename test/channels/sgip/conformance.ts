import { sgipDriver } from '../../../src/channels/sgip/driver.js';
import { startSgipCentre } from '../../../tools/message-centre/message-centre.js';
import type { ConformanceSubjects } from '../channel-conformance.js';
import { createConfig, findFreePort } from './peer.js';

const TIMES = { port: 0, lateMs: 1_000, redeliverMs: 200 };

export const sgipSubjects: ConformanceSubjects = {
  SGIP: async (deps) => {
    const clientPort = await findFreePort();
    const centre = await startSgipCentre({ ...TIMES, clientPort });
    const config = createConfig(centre.port, clientPort, { response_timeout_ms: 800, sessions: 2 });
    return { channel: sgipDriver.open(config, deps), hasExpiry: false, stop: () => centre.stop() };
  },
  'SGIP with a login for each direction': async (deps) => {
    const clientPort = await findFreePort();
    const centre = await startSgipCentre({
      ...TIMES,
      systemId: 'sp90001',
      password: '888888',
      clientPort,
      clientAccount: 'smg',
      clientPassword: 'other',
      earlyRate: 0.3,
      poisonRate: 0.3,
    });
    const config = createConfig(centre.port, clientPort, {
      host: 'localhost',
      response_timeout_ms: 800,
      listen_account: 'smg',
      listen_password: 'other',
    });
    return { channel: sgipDriver.open(config, deps), hasExpiry: false, stop: () => centre.stop() };
  },
};
