// The customer API as the server takes it in.

import type { Api } from '../api.js';
import { registerRoutes } from '../route.js';
import { createCustomerAdmission } from './access/admit.js';
import { batchRoutes } from './batches.js';
import { credentialRoutes } from './credentials.js';
import type { CustomerDeps } from './deps.js';
import { balancesRoute } from './money/balances.js';
import { financeRoutes } from './money/finance.js';
import { statementRoute } from './money/statements.js';
import { statisticsRoute } from './money/statistics.js';
import { numberRoute } from './numbers.js';
import { recordRoutes } from './records.js';
import { selfServiceRoutes } from './self-service.js';
import { previewRoute } from './send/preview.js';
import { sendRoute } from './send/send.js';
import { taskRoutes } from './tasks.js';
import { templateRoutes } from './templates.js';
import { userRoutes } from './users.js';
import { webhookRoutes } from './webhooks.js';

export function createCustomerApi(deps: CustomerDeps): Api {
  const routes = [
    sendRoute(deps),
    previewRoute(deps),
    ...taskRoutes(deps),
    ...batchRoutes(deps),
    ...recordRoutes(deps),
    numberRoute(deps),
    ...financeRoutes(deps),
    balancesRoute(deps),
    statementRoute(deps),
    statisticsRoute(deps),
    ...templateRoutes(deps),
    ...selfServiceRoutes(deps),
    ...credentialRoutes(deps),
    ...userRoutes(deps),
    ...webhookRoutes(deps),
  ];
  return {
    operations: routes,
    security: 'signature',
    tags: [
      { name: 'Messages', description: 'Send, follow tasks, read receipts and what people wrote back.' },
      { name: 'Finance', description: 'The account and its ledger.' },
      {
        name: 'Configuration',
        description: 'What you may send with: templates, service accounts, carriers, opt-outs, API keys.',
      },
      { name: 'Users', description: 'The people of your company who sign in to the console.' },
      { name: 'Webhooks', description: 'Calls to your own address when something happens.' },
      { name: 'Downstream', description: 'What was put on the wire toward the handset, and what was reported.' },
    ],
    problems: [
      'missing_credentials',
      'timestamp_out_of_range',
      'invalid_signature',
      'invalid_credentials',
      'customer_suspended',
      'ip_not_allowed',
      'not_permitted',
      'not_acceptable',
      'rate_limited',
      'unavailable',
    ],
    register(app, { bodies }) {
      registerRoutes(app, routes, {
        admit: createCustomerAdmission({
          ...deps,
          randomBytes: deps.users.randomBytes,
          bodies,
        }),
        contextOf: (call, { customer, actor, key, hidesCodes = false, signature, rawBody }) =>
          Object.assign(call, { customer, actor, hidesCodes, signature, rawBody, ...(key && { key }) }),
        ownerOf: ({ customer }) => `${customer.customerId}`,
        sealer: deps.credentials.sealer,
      });
    },
  };
}
