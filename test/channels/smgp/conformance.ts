import { checkConfig } from '../../../src/channels/check-config.js';
import { type SmgpConfig, SmgpConfigSchema } from '../../../src/channels/smgp/config.js';
import { smgpDriver } from '../../../src/channels/smgp/driver.js';
import { startSmgpCentre } from '../../../tools/message-centre/message-centre.js';
import type { ConformanceSubjects } from '../channel-conformance.js';

export function createConfig(port: number, over: Partial<SmgpConfig> = {}): SmgpConfig {
  const input = { host: '127.0.0.1', port, account: '10690001', password: 'secret', ...over };
  const checked = checkConfig(SmgpConfigSchema, input);
  if (checked.faults !== undefined) throw new Error(JSON.stringify(checked.faults));
  return checked.config;
}

const TIMES = { port: 0, lateMs: 1_000, redeliverMs: 200 };

export const smgpSubjects: ConformanceSubjects = {
  SMGP: async (deps, changes) => {
    const centre = await startSmgpCentre({ ...TIMES, systemId: '10690001', password: 'secret', ...changes });
    const config = createConfig(centre.port, { response_timeout_ms: 800, sessions: 2 });
    const open = () => smgpDriver.open(config, deps);
    return { channel: open(), sessions: { centre, logins: 2, reopen: open }, stop: () => centre.stop() };
  },
  'SMGP with broken reports': async (deps, changes) => {
    const faults = { receipts: 'mixed', earlyRate: 0.3, poisonRate: 0.3 } as const;
    const centre = await startSmgpCentre({ ...TIMES, ...faults, ...changes });
    const config = createConfig(centre.port, { response_timeout_ms: 800, national_numbers: false });
    const open = () => smgpDriver.open(config, deps);
    return { channel: open(), sessions: { centre, logins: 1, reopen: open }, stop: () => centre.stop() };
  },
};
