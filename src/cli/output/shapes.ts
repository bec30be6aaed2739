// How each kind of record is shown.

import { showColumns, showSome } from './columns.js';
import { fieldsOf } from './fields-of.js';
import type { RecordShape } from './records.js';

export const taskShape = showSome(
  fieldsOf('Task'),
  'task_no stage accounting_state:2 counts.total counts.delivered amounts.charged:5 amounts.held:3 created_at:4 client_request_id:1',
);

export const batchShape = showSome(
  [...new Set(fieldsOf('Batch').map((field) => field.replace(/^(stages|moves)\..*/, '$1')))],
  'batch_id tasks counts.total counts.delivered amounts.charged:3 amounts.held:2 created_at:1 completed_at:1',
);

export const operatorTaskShape: RecordShape = {
  fields: ['customer_no', ...taskShape.fields],
  columns: [...showColumns('customer_no'), ...taskShape.columns],
};

export const receiptShape = showSome(
  fieldsOf('Receipt'),
  'phone result code parts:3 charged:4 firm:2 received_at:5 task_no:6 description:1',
);

/** With `--text`. */
export const receiptTextShape = showSome(
  [...receiptShape.fields, 'text'],
  'phone result code parts:3 charged:4 firm:2 received_at:5 task_no:6 text',
);

export const uplinkShape = showSome(fieldsOf('Uplink'), 'phone received_at service_account_no:1 task_no:2 content');

export const ledgerShape = showSome(
  fieldsOf('LedgerEntry'),
  'seq type amount numbers:2 available_after frozen_after:3 created_at task_no remark:1',
);

export const unsentShape = showSome(fieldsOf('UnsentNumber'), 'seq phone firm parts price');

export const submitShape = showSome(
  fieldsOf('Submit'),
  'phone part parts status code:2 upstream_message_id:1 submitted_at task_no',
  { parts: 'OF' },
);

export const deliveryShape = showSome(
  fieldsOf('Delivery'),
  'phone part parts status code:2 upstream_message_id:1 received_at task_no',
  { parts: 'OF' },
);

/** What happened to a number, one thing a line. */
export const numberEventShape = showSome(
  ['at', 'event', 'status', 'code', 'part', 'firm', 'task_no', 'text'],
  'at event status code part:3 firm:2 task_no:4 text:1',
);

export const accountShape = showSome(
  fieldsOf('Account', 'customer_no', 'currency', 'available', 'frozen'),
  'currency available frozen billing_mode credit_limit',
);

export const webhookShape = showSome(
  fieldsOf('Webhook', 'webhook_no'),
  'webhook_no status events url disabled_reason:1',
  { disabled_reason: 'DISABLED BECAUSE' },
);

export const newWebhookShape = showSome(fieldsOf('NewWebhook', 'webhook_no'), 'webhook_no url secret');

export const attemptShape = showSome(
  fieldsOf('WebhookAttempt').filter((field) => field !== 'id'),
  'at event status latency_ms items:2 error message_id:1',
  { latency_ms: 'MS' },
);

export const statisticShape = showSome(
  fieldsOf('Statistic'),
  'key total delivered delivered_share undelivered:3 expired:2 rejected:4 cancelled:5 parts:1 charged',
  { key: 'OF', delivered_share: 'SHARE' },
);

export const balanceShape = showSome(fieldsOf('BalanceAt'), 'key available frozen', { key: 'AT THE END OF' });

/** The rows of a statement: balances at its ends, and sums of entries between them. */
export const entrySumShape = showSome(
  ['what', 'count', 'amount', 'available', 'frozen'],
  'what count amount available frozen',
  { what: '', count: 'ENTRIES' },
);
