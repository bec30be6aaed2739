import { simulatorDriver } from '../../../src/channels/simulator/driver.js';
import type { ConformanceSubjects } from '../channel-conformance.js';

export const simulatorSubjects: ConformanceSubjects = {
  simulator: async (deps) => ({ channel: simulatorDriver.open({}, deps), stop: async () => {} }),
  'slow simulator': async (deps) => ({
    channel: simulatorDriver.open({ answer_ms: 20, receipt_ms: 20 }, deps),
    stop: async () => {},
  }),
};
