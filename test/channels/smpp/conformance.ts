import { smppDriver } from '../../../src/channels/smpp/driver.js';
import { startMessageCentre } from '../../../tools/message-centre/message-centre.js';
import type { ConformanceSubjects } from '../channel-conformance.js';
import { createConfig } from './peer.js';

export const smppSubjects: ConformanceSubjects = {
  SMPP: async (deps, changes) => {
    const centre = await startMessageCentre({ port: 0, lateMs: 1_000, ...changes });
    const config = createConfig(centre.port, { response_timeout_ms: 800, sessions: 2 });
    const open = () => smppDriver.open(config, deps);
    return { channel: open(), sessions: { centre, logins: 2, reopen: open }, stop: () => centre.stop() };
  },
  'SMPP transmitter and receiver': async (deps, changes) => {
    const mixed = { ids: 'mixed', receipts: 'mixed', earlyRate: 0.3 } as const;
    const centre = await startMessageCentre({ port: 0, lateMs: 1_000, ...mixed, ...changes });
    const config = createConfig(centre.port, {
      response_timeout_ms: 800,
      bind: 'transmitter_receiver',
      long_message: 'sar',
      receipts: 'by_text',
    });
    const open = () => smppDriver.open(config, deps);
    return { channel: open(), sessions: { centre, logins: 2, reopen: open }, stop: () => centre.stop() };
  },
};
