import { sgipDriver } from '../../../src/channels/sgip/driver.js';
import { startSgipCentre } from '../../../tools/message-centre/message-centre.js';
import type { ConformanceSubjects } from '../channel-conformance.js';
import { createConfig, findFreePort } from './peer.js';

const TIMES = { port: 0, lateMs: 1_000, redeliverMs: 200 };

export const sgipSubjects: ConformanceSubjects = {
  SGIP: async (deps, changes) => {
    const clientPort = await findFreePort();
    const centre = await startSgipCentre({ ...TIMES, clientPort, ...changes });
    const config = createConfig(centre.port, clientPort, { response_timeout_ms: 800, sessions: 2 });
    const open = () => sgipDriver.open(config, deps);
    const sessions = { centre, logins: 3, reopen: open };
    return { channel: open(), hasExpiry: false, sessions, stop: () => centre.stop() };
  },
  'SGIP with a login for each direction': async (deps, changes) => {
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
      ...changes,
    });
    const config = createConfig(centre.port, clientPort, {
      host: 'localhost',
      response_timeout_ms: 800,
      listen_account: 'smg',
      listen_password: 'other',
    });
    const open = () => sgipDriver.open(config, deps);
    const sessions = { centre, logins: 2, reopen: open };
    return { channel: open(), hasExpiry: false, sessions, stop: () => centre.stop() };
  },
};
