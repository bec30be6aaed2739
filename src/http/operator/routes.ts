// The operator API as the server takes it in.

import type { Api } from '../api.js';
import { registerRoutes } from '../route.js';
import { createOperatorAdmission } from './admit.js';
import { createBlockedWordRoutes } from './blocked-words.js';
import { createChannelCheckRoutes } from './channel-checks.js';
import { createChannelRoutes } from './channels.js';
import { createCredentialRoutes } from './credentials.js';
import { createCreditRoutes } from './credits.js';
import { createCustomerRoutes } from './customers.js';
import { createErasureRoutes } from './erasures.js';
import { createExplainRoute } from './explain-route.js';
import { createFailureRoute } from './failures.js';
import { createFilingRoutes } from './filings.js';
import { createFirmRoutes } from './firms.js';
import { createGrantRoutes } from './grants.js';
import { createNumberListRoutes } from './number-lists.js';
import { createNumberRoute } from './numbers.js';
import type { OperatorDeps } from './operator-route.js';
import { createOperatorRoutes } from './operators.js';
import { createPlatformRoute } from './platform.js';
import { createPlatformHistoryRoute } from './platform-history.js';
import { createRateRoutes } from './rates.js';
import { createRecordRoutes } from './records.js';
import { createRecoveryRoutes } from './recovery.js';
import { createRetentionRoutes } from './retention.js';
import { createReviewRoutes } from './reviews.js';
import { createServiceAccountRoutes } from './service-accounts.js';
import { createStatisticsRoute } from './statistics.js';
import { createTaskRoutes } from './tasks.js';
import { createTemplatePreviewRoute } from './template-preview.js';
import { createTemplateRoutes } from './templates.js';
import { createUserRoutes } from './users.js';
import { createViewRoute } from './views.js';
import { createWebhookRoutes } from './webhooks.js';

export function createOperatorApi(deps: OperatorDeps): Api {
  const operations = [
    createPlatformRoute(deps),
    createPlatformHistoryRoute(deps),
    ...createRecoveryRoutes(deps),
    ...createFirmRoutes(deps),
    ...createChannelRoutes(deps),
    ...createChannelCheckRoutes(deps),
    createFailureRoute(deps),
    ...createCustomerRoutes(deps),
    createViewRoute(deps),
    ...createCredentialRoutes(deps),
    ...createGrantRoutes(deps),
    ...createRateRoutes(deps),
    createStatisticsRoute(deps),
    ...createServiceAccountRoutes(deps),
    ...createFilingRoutes(deps),
    ...createBlockedWordRoutes(deps),
    ...createTemplateRoutes(deps),
    createTemplatePreviewRoute(),
    ...createReviewRoutes(deps),
    ...createCreditRoutes(deps),
    ...createNumberListRoutes(deps),
    ...createWebhookRoutes(deps),
    ...createTaskRoutes(deps),
    createNumberRoute(deps),
    createExplainRoute(deps),
    ...createErasureRoutes(deps),
    ...createRetentionRoutes(deps),
    ...createRecordRoutes(deps),
    ...createOperatorRoutes(deps),
    ...createUserRoutes(deps),
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
      'invalid_credentials',
      'not_permitted',
      'not_acceptable',
      'rate_limited',
      'unavailable',
    ],
    register: (app, { bodies }) =>
      registerRoutes(app, operations, {
        admit: createOperatorAdmission({ ...deps, bodies }),
        contextOf: (call, { actor, role, tokenHash }) => Object.assign(call, { actor, role, tokenHash }),
        ownerOf: () => 'operators',
      }),
  };
}
