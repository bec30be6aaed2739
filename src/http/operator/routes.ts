// The operator API as the server takes it in.

import type { Api } from '../api.js';
import { registerRoutes } from '../route.js';
import { createOperatorAdmission } from './admit.js';
import { createCredentialRoutes } from './customers/credentials.js';
import { createCreditRoutes } from './customers/credits.js';
import { createCustomerRoutes } from './customers/customers.js';
import { createGrantRoutes } from './customers/grants.js';
import { createOnboardingRoute } from './customers/onboarding.js';
import { createServiceAccountRoutes } from './customers/service-accounts.js';
import { createViewRoute } from './customers/views.js';
import { createWebhookRoutes } from './customers/webhooks.js';
import { createErasureRoutes } from './erasures.js';
import { createFailureRoute } from './failures.js';
import { createNumberListRoutes } from './number-lists.js';
import { createNumberRoute } from './numbers.js';
import type { OperatorDeps } from './operator-route.js';
import { createOperatorRoutes } from './operators.js';
import { createPlatformRoute } from './platform/platform.js';
import { createPlatformHistoryRoute } from './platform/platform-history.js';
import { createRecoveryRoutes } from './platform/recovery.js';
import { createRetentionRoutes } from './platform/retention.js';
import { createRateRoutes } from './rates.js';
import { createRecordRoutes } from './records.js';
import { createChannelCheckRoutes } from './routing/channel-checks.js';
import { createChannelRoutes } from './routing/channels.js';
import { createExplainRoute } from './routing/explain-route.js';
import { createFirmRoutes } from './routing/firms.js';
import { createStatisticsRoute } from './statistics.js';
import { createTaskRoutes } from './tasks.js';
import { createBlockedWordRoutes } from './templates/blocked-words.js';
import { createFilingRoutes } from './templates/filings.js';
import { createReviewRoutes } from './templates/reviews.js';
import { createTemplatePreviewRoute } from './templates/template-preview.js';
import { createTemplateRoutes } from './templates/templates.js';
import { createUserRoutes } from './users.js';

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
    createOnboardingRoute(deps),
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
        sealer: deps.sealer,
      }),
  };
}
