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

const TIMES = { port: 0, lateMs: 1_000 };

export const smgpSubjects: ConformanceSubjects = {
  SMGP: async (deps) => {
    const centre = await startSmgpCentre({ ...TIMES, systemId: '10690001', password: 'secret' });
    const config = createConfig(centre.port, { response_timeout_ms: 800, sessions: 2 });
    return { channel: smgpDriver.open(config, deps), stop: () => centre.stop() };
  },
  'SMGP with broken reports': async (deps) => {
    const centre = await startSmgpCentre({ ...TIMES, receipts: 'mixed', earlyRate: 0.3, poisonRate: 0.3 });
    const config = createConfig(centre.port, { response_timeout_ms: 800, national_numbers: false });
    return { channel: smgpDriver.open(config, deps), stop: () => centre.stop() };
  },
};
