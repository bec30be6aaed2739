import { defineDriver } from '../driver.js';
import { createObserver, SESSION_METRICS } from '../session/metrics.js';
import { checkPauses, SmppConfigSchema } from './config.js';
import { smppFieldsZh } from './fields-zh.js';
import { openSmppChannel } from './smpp-channel.js';

export const smppDriver = defineDriver({
  kind: 'smpp',
  name: 'SMPP',
  config: SmppConfigSchema,
  refine: checkPauses,
  zh: { name: 'SMPP', fields: smppFieldsZh },
  traits: { alphabet: 'gsm7' },
  messageIdFormat: (config) => config.message_id_format,
  metrics: SESSION_METRICS,
  open: (config, deps) => openSmppChannel(config, { ...deps, observer: createObserver(deps.meter) }),
});
