// The events of webhooks: where each reads, and what a message about it holds. Bodies are checked by these names, and the types
// of the clients and the tables of the guides follow from them.

import { type TObject, type TProperties, Type } from '@sinclair/typebox';
import { nullable, words } from './fields.js';

/** What a message has as `data`: an answer of the API by its name, `items` of it, or what no operation answers. */
export interface MessageData {
  readonly name: string;
  readonly isList?: true;
  readonly schema?: TObject;
}

interface EventSource {
  /** Where it reads: the log of records, what tasks ended in, or the entries of the ledger. */
  readonly history: 'records' | 'tasks' | 'ledger';
  readonly data: MessageData;
}

const amount = Type.String({ format: 'amount' });
const time = Type.String({ format: 'date-time' });

const EVENTS = {
  receipts: { history: 'records', data: { name: 'Receipt', isList: true } },
  uplinks: { history: 'records', data: { name: 'Uplink', isList: true } },
  'task.finished': { history: 'tasks', data: { name: 'Task' } },
  'batch.finished': { history: 'tasks', data: { name: 'Batch' } },
  'account.low': {
    history: 'ledger',
    data: describe('LowBalance', 'The balance when it fell below its mark.', {
      customer_no: Type.String(),
      currency: Type.String(),
      available: amount,
      frozen: amount,
      low_balance: amount,
      ledger_seq: Type.Integer(),
      at: time,
    }),
  },
  'template.reviewed': {
    history: 'records',
    data: describe('ReviewedTemplate', 'What an operator decided about a text.', {
      template_no: Type.String(),
      name: Type.String(),
      body: Type.String(),
      revision: Type.Integer(),
      decision: words(['approved', 'rejected']),
      reason: nullable(Type.String()),
      status: words(['active', 'rejected']),
      reviewed_at: time,
    }),
  },
  'statement.ready': {
    history: 'records',
    data: describe('ReadyStatement', 'A month is over: its statement changes no more.', {
      customer_no: Type.String(),
      month: Type.String(),
      currency: Type.String(),
      billing_time_zone: Type.String(),
      at: time,
    }),
  },
  'webhook.disabled': {
    history: 'records',
    data: describe('DisabledWebhook', 'The service has disabled another endpoint, because its calls failed.', {
      webhook_no: Type.String(),
      url: Type.String(),
      description: nullable(Type.String()),
      disabled_reason: Type.String(),
      disabled_at: time,
    }),
  },
} as const satisfies Readonly<Record<string, EventSource>>;

export type WebhookEvent = keyof typeof EVENTS;
export const WEBHOOK_EVENTS = Object.keys(EVENTS) as WebhookEvent[];

/** The `data` of every message, by its `type`. A test of a webhook has one, too. */
export const WEBHOOK_MESSAGES: Readonly<Record<string, MessageData>> = {
  ...Object.fromEntries(WEBHOOK_EVENTS.map((event) => [event, EVENTS[event].data])),
  test: describe('TestMessage', 'What a test of a webhook sends.', { webhook_no: Type.String() }),
};

/** Its position is a number of the ledger; those of the others follow the record log. */
export function followsLedger(event: WebhookEvent): boolean {
  return EVENTS[event].history === 'ledger';
}

export const LEDGER_EVENTS = WEBHOOK_EVENTS.filter(followsLedger);

/** It comes from the ends of tasks, which are numbered only for customers with such a webhook. */
export function followsTasks(event: WebhookEvent): boolean {
  return EVENTS[event].history === 'tasks';
}

function describe(name: string, description: string, fields: TProperties): MessageData {
  return { name, schema: Type.Object(fields, { $id: name, description }) };
}
