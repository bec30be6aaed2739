// Webhooks as their customer manages them.

import { Type } from '@sinclair/typebox';
import type { WebhookAttempt } from '../../domain/entities/webhook.js';
import { listFromArray, type PageBounds } from '../../store/list.js';
import { readWebhook, readWebhooks } from '../../store/webhook/webhook.js';
import { readAttempts } from '../../store/webhook/webhook-attempt.js';
import { notFound } from '../problem/problem.js';
import { attemptList, idOf, type WebhookVerb, webhookActions, webhookList } from '../resources/webhook-actions.js';
import {
  renderAttempt,
  renderWebhook,
  WebhookAnswer,
  WebhookAttemptAnswer,
  webhookExamples,
} from '../resources/webhook-schemas.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './access/admit.js';
import type { CustomerDeps } from './deps.js';
import { listRoute, openList } from './lists.js';

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
  resend: 'resendWebhookAttempt',
};

const ONE = { params: { webhook_no: Type.String({ description: 'The number of the webhook.' }) } };

const ONE_ATTEMPT = {
  params: { ...ONE.params, id: Type.String({ description: 'The `id` of the attempt.' }) },
};

export function webhookRoutes(deps: CustomerDeps): Route<CustomerCall>[] {
  return webhookActions.map(({ verb, path, run, ...described }) => {
    const { summary } = described;
    const named = { path: `/openapi/v1/webhooks${path}/`, name: NAMES[verb], tag: 'Webhooks', summary };
    if (verb === 'list') return listWebhooks(deps, named);
    if (verb === 'list attempts') return listAttempts(deps, named);
    return {
      ...described,
      ...named,
      ...(path === '' ? {} : verb === 'resend' ? ONE_ATTEMPT : ONE),
      problems: [],
      handle: (call) => run(deps.webhooks, call.customer, call),
    };
  });
}

type Named = Pick<Route<CustomerCall>, 'path' | 'name' | 'tag' | 'summary'>;

/** Lists of the customer API can be had as files. */
function listWebhooks(deps: CustomerDeps, named: Named): Route<CustomerCall> {
  return listRoute(deps, {
    ...named,
    description: 'Oldest first.',
    list: webhookList,
    item: WebhookAnswer,
    example: webhookExamples.webhook,
    open: async (sql, { customer }) => {
      const source = listFromArray(await readWebhooks(sql, customer), ({ webhook_id }) => String(webhook_id));
      return openList(source, (rows) => rows.map(renderWebhook));
    },
  });
}

function listAttempts(deps: CustomerDeps, named: Named): Route<CustomerCall> {
  return listRoute(deps, {
    ...named,
    ...ONE,
    description: 'The last hundred, newest first.',
    list: attemptList,
    item: WebhookAttemptAnswer,
    example: webhookExamples.attempt,
    open: async (sql, call) => {
      const webhookId = idOf(call);
      if ((await readWebhook(sql, call.customer, webhookId)) === undefined) throw notFound();
      const attempts = await readAttempts(sql, call.customer, webhookId);
      const keyOf = ({ attempt_no }: WebhookAttempt) => String(attempt_no);
      const [newestFirst, oldestFirst] = [
        listFromArray(attempts, keyOf),
        listFromArray([...attempts].reverse(), keyOf),
      ];
      const source = {
        ...newestFirst,
        rows: (bounds: PageBounds) => (bounds.oldestFirst === true ? oldestFirst : newestFirst).rows(bounds),
      };
      return openList(source, (rows) => rows.map(renderAttempt));
    },
  });
}
