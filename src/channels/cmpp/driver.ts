import { defineDriver } from '../driver.js';
import { SESSION_METRICS } from '../session/metrics.js';
import { openCmppChannel } from './cmpp-channel.js';
import { CmppConfigSchema, cmppFieldsZh } from './config.js';

export const cmppDriver = defineDriver({
  kind: 'cmpp',
  name: 'CMPP',
  config: CmppConfigSchema,
  zh: { name: 'CMPP', fields: cmppFieldsZh },
  traits: { alphabet: 'ascii' },
  messageIdFormat: 'exact',
  metrics: SESSION_METRICS,
  open: (config, deps) => openCmppChannel(config, deps),
});
