// The operator API as the server takes it in.

import { registerRoutes } from '../route.js';
import type { Api } from '../server.js';
import { makeOperatorAdmission } from './admit.js';
import { makeChannelCheckRoutes } from './channel-checks.js';
import { makeChannelRoutes } from './channels.js';
import { makeCredentialRoutes } from './credentials.js';
import { makeCreditRoutes } from './credits.js';
import { makeCustomerRoutes } from './customers.js';
import { makeFailureRoute } from './failures.js';
import { makeFirmRoutes } from './firms.js';
import { makeNumberRoute } from './numbers.js';
import type { OperatorDeps } from './operator-route.js';
import { makeOperatorRoutes } from './operators.js';
import { makeOptOutRoutes } from './opt-outs.js';
import { makePlatformRoute } from './platform.js';
import { makePlatformHistoryRoute } from './platform-history.js';
import { makeRecordRoutes } from './records.js';
import { makeServiceAccountRoutes } from './service-accounts.js';
import { makeTaskRoutes } from './tasks.js';
import { makeTemplatePreviewRoute } from './template-preview.js';
import { makeTemplateRoutes } from './templates.js';
import { makeTermsRoutes } from './terms.js';
import { makeViewRoute } from './views.js';
import { makeWebhookRoutes } from './webhooks.js';

export function makeOperatorApi(deps: OperatorDeps): Api {
  const operations = [
    makePlatformRoute(deps),
    makePlatformHistoryRoute(deps),
    ...makeFirmRoutes(deps),
    ...makeChannelRoutes(deps),
    ...makeChannelCheckRoutes(deps),
    makeFailureRoute(deps),
    ...makeCustomerRoutes(deps),
    makeViewRoute(deps),
    ...makeCredentialRoutes(deps),
    ...makeTermsRoutes(deps),
    ...makeServiceAccountRoutes(deps),
    ...makeTemplateRoutes(deps),
    makeTemplatePreviewRoute(),
    ...makeCreditRoutes(deps),
    ...makeOptOutRoutes(deps),
    ...makeWebhookRoutes(deps),
    ...makeTaskRoutes(deps),
    makeNumberRoute(deps),
    ...makeRecordRoutes(deps),
    ...makeOperatorRoutes(deps),
  ];
  return {
    operations,
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({
      name,
      description: 'For the operator.',
    })),
    security: 'bearer',
    problems: [
      'missing_credentials',
      'invalid_signature',
      'not_permitted',
      'not_acceptable',
      'rate_limited',
      'unavailable',
    ],
    register: (app, { bodies }) =>
      registerRoutes(app, operations, {
        admit: makeOperatorAdmission({ ...deps, bodies }),
        contextOf: (call, { actor, role, tokenHash }) => Object.assign(call, { actor, role, tokenHash }),
        ownerOf: () => 'operators',
      }),
  };
}
