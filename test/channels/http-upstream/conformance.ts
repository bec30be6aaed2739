import { httpDriver } from '../../../src/channels/http-upstream/driver.js';
import { startHttpCentre } from '../../../tools/message-centre/message-centre.js';
import type { ConformanceSubjects } from '../channel-conformance.js';
import { startCallbackPeer } from './callback-peer.js';
import { createConfig } from './peer.js';

export const httpSubjects: ConformanceSubjects = {
  HTTP: async (deps) => {
    const config = { ...createConfig(0), timeout_ms: 2_000 };
    const callbacks = await startCallbackPeer(config);
    const centre = await startHttpCentre({
      port: 0,
      lateMs: 3_000,
      reportsUrl: `${callbacks.url}/reports`,
      uplinksUrl: `${callbacks.url}/uplinks`,
    });
    const channel = httpDriver.open({ ...config, url: `http://127.0.0.1:${centre.port}/messages` }, deps);
    return {
      channel: { ...channel, onFeedback: callbacks.onFeedback },
      isWhole: true,
      hasExpiry: false,
      async stop() {
        await centre.stop();
        await callbacks.stop();
      },
    };
  },
};
