import { defineDriver } from '../driver.js';
import { SESSION_METRICS } from '../session/metrics.js';
import { SmgpConfigSchema, smgpFieldsZh } from './config.js';
import { openSmgpChannel } from './smgp-channel.js';

export const smgpDriver = defineDriver({
  kind: 'smgp',
  name: 'SMGP',
  config: SmgpConfigSchema,
  zh: { name: 'SMGP', fields: smgpFieldsZh },
  traits: { alphabet: 'ascii' },
  messageIdFormat: 'exact',
  metrics: SESSION_METRICS,
  open: (config, deps) => openSmgpChannel(config, deps),
});
