import { defineDriver } from '../driver.js';
import { SESSION_METRICS } from '../session/metrics.js';
import { SgipConfigSchema, sgipFieldsZh } from './config.js';
import { openSgipChannel } from './sgip-channel.js';

export const sgipDriver = defineDriver({
  kind: 'sgip',
  name: 'SGIP',
  config: SgipConfigSchema,
  zh: { name: 'SGIP', fields: sgipFieldsZh },
  traits: { alphabet: 'ascii' },
  messageIdFormat: 'exact',
  metrics: SESSION_METRICS,
  localPort: ({ listen_host: host, listen_port: port }) => `${host} ${port}`,
  // Over a login that two channels share, the gateway's reports would go to one of them, whichever sent the part.
  exclusiveClaim: ({ host = '', account, listen_account: login, listen_host: address, listen_port: port }) => ({
    field: 'listen_account',
    value: [host.toLowerCase(), address, port, login || account].join(' '),
  }),
  open: (config, deps) => openSgipChannel(config, deps),
});
