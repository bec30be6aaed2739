// What webhooks receive, by event. The types of the clients follow from it.

import { type TObject, Type } from '@sinclair/typebox';
import type { WebhookEvent } from '../../../domain/entities/webhook.js';
import { answerOf, orNull, Time } from '../../resources/entity-answers.js';
import { Amount } from './fields.js';

/** What a message has as `data`: an answer of the API by its name, `items` of it, or what no operation answers. */
export interface MessageData {
  readonly name: string;
  readonly isList?: true;
  readonly schema?: TObject;
}

export const WEBHOOK_MESSAGES: Readonly<Record<WebhookEvent | 'test', MessageData>> = {
  receipts: { name: 'Receipt', isList: true },
  uplinks: { name: 'Uplink', isList: true },
  'task.finished': { name: 'Task' },
  'batch.finished': { name: 'Batch' },
  'account.low': describe('LowBalance', 'The balance when it fell below its mark.', {
    customer_no: Type.String(),
    currency: Type.String(),
    available: Amount(),
    frozen: Amount(),
    low_balance: Amount(),
    ledger_seq: Type.Integer(),
    at: Time(),
  }),
  'template.reviewed': describe('ReviewedTemplate', 'What an operator decided about a text.', {
    template_no: Type.String(),
    name: Type.String(),
    body: Type.String(),
    revision: Type.Integer(),
    decision: Type.Unsafe<string>({ type: 'string', enum: ['approved', 'rejected'] }),
    reason: orNull(Type.String()),
    status: Type.Unsafe<string>({ type: 'string', enum: ['active', 'rejected'] }),
    reviewed_at: Time(),
  }),
  'statement.ready': describe('ReadyStatement', 'A month is over: its statement changes no more.', {
    customer_no: Type.String(),
    month: Type.String(),
    currency: Type.String(),
    billing_time_zone: Type.String(),
    at: Time(),
  }),
  'webhook.disabled': describe(
    'DisabledWebhook',
    'The service has disabled another endpoint, because its calls failed.',
    {
      webhook_no: Type.String(),
      url: Type.String(),
      description: orNull(Type.String()),
      disabled_reason: Type.String(),
      disabled_at: Time(),
    },
  ),
  test: describe('TestMessage', 'What a test of a webhook sends.', { webhook_no: Type.String() }),
};

function describe(name: string, description: string, fields: Parameters<typeof answerOf>[1]): MessageData {
  return { name, schema: answerOf({ $id: name, description }, fields) };
}
