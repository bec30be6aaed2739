// Webhooks as their customer manages them.

import { Type } from '@sinclair/typebox';
import type { Route } from '../route.js';
import { type WebhookVerb, webhookActions } from '../webhook-actions.js';
import type { CustomerCall } from './admit.js';
import type { CustomerDeps } from './deps.js';

const NAMES: Readonly<Record<WebhookVerb, string>> = {
  create: 'createWebhook',
  list: 'listWebhooks',
  get: 'getWebhook',
  change: 'changeWebhook',
  delete: 'deleteWebhook',
  rotate: 'rotateWebhook',
  test: 'testWebhook',
  replay: 'replayWebhook',
  'list attempts': 'listWebhookAttempts',
};

export function webhookRoutes(deps: CustomerDeps): Route<CustomerCall>[] {
  return webhookActions.map(({ verb, path, run, ...described }) => ({
    ...described,
    path: `/openapi/v1/webhooks${path}/`,
    name: NAMES[verb],
    tag: 'Webhooks',
    ...(path === '' ? {} : { params: { webhook_no: Type.String({ description: 'The number of the webhook.' }) } }),
    problems: [],
    handle: (call) => run(deps.webhooks, call.customer, call),
  }));
}
