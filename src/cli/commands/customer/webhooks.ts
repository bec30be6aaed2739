import type { WebhookRequest } from '@postrider/client';
import { WebhookFields } from '../../../domain/entities/webhook.js';
import { createOwnListCommand, createOwnRecordCommand } from '../../api-command.js';
import type { ArgumentSpec, Command } from '../../command.js';
import { parseMoment } from '../../duration.js';
import { changeOptionsOf, optionsOf } from '../../entity-options.js';
import { UsageError } from '../../failure.js';
import { attemptShape, newWebhookShape, webhookShape } from '../../output/shapes.js';
import type { BodyFields } from '../../request-body.js';

const webhookArgument: ArgumentSpec = { name: 'WEBHOOK', summary: 'number of the webhook', required: true };
/** `--url` is where the service is, in every command. */
const names = { url: 'to', events: 'event' };

const fromOption: BodyFields = {
  from: {
    type: 'string',
    value: 'TIME',
    required: true,
    field: 'from',
    as: 'text',
    summary:
      'since this moment: 2026-11-14T08:00:00Z, 2026-11-14T08:00 (local time), 2026-11-14 (UTC), or 2h ago as 2h',
  },
};

/** Webhook endpoints. The service checks the bodies. */
export const webhookCommands: readonly Command[] = [
  createOwnRecordCommand({
    path: ['webhook', 'create'],
    summary: 'create a webhook: events are posted to your URL; its secret is shown once',
    fields: optionsOf(WebhookFields, names),
    shape: newWebhookShape,
    examples: [
      {
        command: 'postrider webhook create --to https://example.com/hook --event receipts --event task.finished',
        shows: 'receipts and the ends of tasks',
      },
    ],
    call: (client, _args, body, options) => client.createWebhook(body as unknown as WebhookRequest, options),
  }),
  createOwnListCommand({
    path: ['webhook', 'list'],
    summary: 'your webhooks',
    shape: webhookShape,
    noun: 'webhooks',
    call: (client, _args, options) => client.webhooks(options),
  }),
  createOwnRecordCommand({
    path: ['webhook', 'show'],
    summary: 'one webhook, with the delivery state of each kind of event',
    arguments: [webhookArgument],
    shape: webhookShape,
    call: (client, [webhookNo = ''], _body, options) => client.webhook(webhookNo, options),
  }),
  createOwnRecordCommand({
    path: ['webhook', 'update'],
    summary: 'change a webhook',
    arguments: [webhookArgument],
    fields: changeOptionsOf(WebhookFields, names),
    shape: webhookShape,
    examples: [{ command: 'postrider webhook update WEBHOOK --status active', shows: 'resume a disabled webhook' }],
    call: (client, [webhookNo = ''], body, options) => client.updateWebhook(webhookNo, body, options),
  }),
  createOwnRecordCommand({
    path: ['webhook', 'delete'],
    summary: "delete a webhook; this can't be undone",
    arguments: [webhookArgument],
    shape: webhookShape,
    call: (client, [webhookNo = ''], _body, options) => client.deleteWebhook(webhookNo, options),
  }),
  createOwnRecordCommand({
    path: ['webhook', 'rotate'],
    summary: 'rotate the secret of a webhook; the old one stays valid for 24 hours',
    arguments: [webhookArgument],
    shape: newWebhookShape,
    call: (client, [webhookNo = ''], _body, options) => client.rotateWebhook(webhookNo, options),
  }),
  createOwnRecordCommand({
    path: ['webhook', 'test'],
    summary: 'send a test message now and show the result',
    arguments: [webhookArgument],
    shape: attemptShape,
    call: (client, [webhookNo = ''], _body, options) => client.testWebhook(webhookNo, options),
  }),
  createOwnRecordCommand({
    path: ['webhook', 'replay'],
    summary: 'replay the events of a webhook since a time',
    arguments: [webhookArgument],
    fields: fromOption,
    shape: webhookShape,
    examples: [{ command: 'postrider webhook replay WEBHOOK --from 2h', shows: 'everything of the last two hours' }],
    call: (client, [webhookNo = ''], { from }, options) =>
      client.replayWebhook(webhookNo, parseMoment(String(from), 'from', Date.now()), options),
  }),
  createOwnListCommand({
    path: ['webhook', 'attempts'],
    summary: 'the last calls to a webhook, newest first',
    arguments: [webhookArgument],
    shape: attemptShape,
    noun: 'attempts',
    call: (client, [webhookNo = ''], options) => client.webhookAttempts(webhookNo, options),
  }),
  createOwnRecordCommand({
    path: ['webhook', 'resend'],
    summary: 'resend the message of an attempt and show the result',
    arguments: [webhookArgument, { name: 'ATTEMPT', summary: 'number of the attempt', required: true }],
    shape: attemptShape,
    call: (client, [webhookNo = '', attempt = ''], _body, options) => {
      const id = Number(attempt);
      if (!Number.isSafeInteger(id) || id < 1) throw new UsageError(`"${attempt}" is no attempt.`);
      return client.resendWebhookAttempt(webhookNo, id, options);
    },
  }),
];
