// The webhooks of a customer as the operator manages them.

import { pickFields } from '../../../domain/entities/fields.js';
import { type Webhook, WebhookFields } from '../../../domain/entities/webhook.js';
import { formatNo } from '../../../domain/id.js';
import { describeChange, recordAudit } from '../../../store/operator/change.js';
import type { Alongside } from '../../../store/webhook/webhook.js';
import { type WebhookVerb, webhookActions } from '../../resources/webhook-actions.js';
import {
  defineOperation,
  describePath,
  type OperatorCall,
  type OperatorDeps,
  type OperatorRoute,
  requireCustomer,
} from '../operator-route.js';

const NAMES: Readonly<Record<WebhookVerb, string>> = {
  create: 'createCustomerWebhook',
  list: 'listCustomerWebhooks',
  get: 'getCustomerWebhook',
  change: 'changeCustomerWebhook',
  delete: 'deleteCustomerWebhook',
  rotate: 'rotateCustomerWebhook',
  test: 'testCustomerWebhook',
  replay: 'replayCustomerWebhook',
  'list attempts': 'listCustomerWebhookAttempts',
  resend: 'resendCustomerWebhookAttempt',
};

export function createWebhookRoutes(deps: OperatorDeps): OperatorRoute[] {
  return webhookActions.map(({ verb, path, run, list, ...described }): OperatorRoute => {
    const operation = {
      ...described,
      path: `/customers/{customer_no}/webhooks${path}`,
      name: NAMES[verb],
      tag: 'Webhooks of customers',
      permission: described.method === 'GET' ? 'read' : 'configure',
      handle: async (call: OperatorCall) => {
        const customer = await requireCustomer(deps, call);
        const { customer_no } = customer;
        const answer = await run(deps.webhooks, customer, call, auditOf(call, verb, customer_no));
        // These change no row that their audit could be written along with.
        if (verb === 'test' || verb === 'resend') {
          const subject = String(call.params.webhook_no);
          await recordAudit(deps.sql, call.actor, { action: `webhook.${verb}`, subject, change: { customer_no } });
        }
        return answer;
      },
    } as const;
    if (list === undefined) return defineOperation(operation);
    return { ...operation, ...describePath(operation.path), list, problems: [] };
  });
}

function auditOf({ actor }: OperatorCall, verb: WebhookVerb, customer_no: string): Alongside {
  return async (tx, after, before) => {
    const change = before === undefined ? termsOf(after) : (describeChange(termsOf(before), termsOf(after)) ?? {});
    const subject = formatNo('W', after.webhook_id);
    await recordAudit(tx, actor, { action: `webhook.${verb}`, subject, change: { customer_no, ...change } });
  };
}

function termsOf(webhook: Webhook) {
  return pickFields(WebhookFields, webhook);
}
