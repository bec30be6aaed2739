import { fieldsOf } from './fields-of.js';
import type { RecordShape } from './records.js';

// How each kind of record is shown. `fields` are those of the answer; `columns` are the glance.

export const taskShape: RecordShape = {
  fields: fieldsOf('Task'),
  columns: [
    { title: 'TASK', field: 'task_no' },
    { title: 'STAGE', field: 'stage' },
    { title: 'ACCOUNTING', field: 'accounting_state', dispensable: 2 },
    { title: 'NUMBERS', field: 'counts.total', align: 'right' },
    { title: 'DELIVERED', field: 'counts.delivered', align: 'right' },
    { title: 'CHARGED', field: 'amounts.charged', align: 'right', dispensable: 5 },
    { title: 'RESERVED', field: 'amounts.held', align: 'right', dispensable: 3 },
    { title: 'CREATED (UTC)', field: 'created_at', dispensable: 4 },
    { title: 'REQUEST ID', field: 'client_request_id', dispensable: 1 },
  ],
};

export const batchShape: RecordShape = {
  fields: [...new Set(fieldsOf('Batch').map((field) => field.replace(/^(stages|moves)\..*/, '$1')))],
  columns: [
    { title: 'BATCH', field: 'batch_id' },
    { title: 'TASKS', field: 'tasks', align: 'right' },
    { title: 'NUMBERS', field: 'counts.total', align: 'right' },
    { title: 'DELIVERED', field: 'counts.delivered', align: 'right' },
    { title: 'CHARGED', field: 'amounts.charged', align: 'right', dispensable: 3 },
    { title: 'RESERVED', field: 'amounts.held', align: 'right', dispensable: 2 },
    { title: 'CREATED (UTC)', field: 'created_at', dispensable: 1 },
    { title: 'COMPLETED (UTC)', field: 'completed_at', dispensable: 1 },
  ],
};

export const operatorTaskShape: RecordShape = {
  fields: ['customer_no', ...taskShape.fields],
  columns: [{ title: 'CUSTOMER', field: 'customer_no' }, ...taskShape.columns],
};

export const receiptShape: RecordShape = {
  fields: fieldsOf('Receipt'),
  columns: [
    { title: 'PHONE', field: 'phone' },
    { title: 'RESULT', field: 'result', hasOutcomes: true },
    { title: 'CODE', field: 'code' },
    { title: 'SEGMENTS', field: 'parts', align: 'right', dispensable: 3 },
    { title: 'CHARGED', field: 'charged', align: 'right', dispensable: 4 },
    { title: 'CARRIER', field: 'firm', dispensable: 2 },
    { title: 'RECEIVED (UTC)', field: 'received_at', dispensable: 5 },
    { title: 'TASK', field: 'task_no', dispensable: 6 },
    { title: 'DESCRIPTION', field: 'description', dispensable: 1 },
  ],
};

/** With `--text`. */
export const receiptTextShape: RecordShape = {
  fields: [...receiptShape.fields, 'text'],
  columns: [...receiptShape.columns.filter(({ field }) => field !== 'description'), { title: 'TEXT', field: 'text' }],
};

export const uplinkShape: RecordShape = {
  fields: fieldsOf('Uplink'),
  columns: [
    { title: 'PHONE', field: 'phone' },
    { title: 'RECEIVED (UTC)', field: 'received_at' },
    { title: 'SENDER', field: 'service_account_no', dispensable: 1 },
    { title: 'TASK', field: 'task_no', dispensable: 2 },
    { title: 'CONTENT', field: 'content' },
  ],
};

export const ledgerShape: RecordShape = {
  fields: fieldsOf('LedgerEntry'),
  columns: [
    { title: 'SEQ', field: 'seq', align: 'right' },
    { title: 'TYPE', field: 'type' },
    { title: 'AMOUNT', field: 'amount', align: 'right' },
    { title: 'NUMBERS', field: 'numbers', align: 'right', dispensable: 2 },
    { title: 'AVAILABLE', field: 'available_after', align: 'right' },
    { title: 'RESERVED', field: 'frozen_after', align: 'right', dispensable: 3 },
    { title: 'CREATED (UTC)', field: 'created_at' },
    { title: 'TASK', field: 'task_no' },
    { title: 'REMARK', field: 'remark', dispensable: 1 },
  ],
};

const partColumns: RecordShape['columns'] = [
  { title: 'PHONE', field: 'phone' },
  { title: 'SEGMENT', field: 'part', align: 'right' },
  { title: 'OF', field: 'parts', align: 'right' },
  { title: 'STATUS', field: 'status', hasOutcomes: true },
  { title: 'CODE', field: 'code', dispensable: 2 },
  { title: 'UPSTREAM ID', field: 'upstream_message_id', dispensable: 1 },
];

export const unsentShape: RecordShape = {
  fields: fieldsOf('UnsentNumber'),
  columns: [
    { title: 'SEQ', field: 'seq', align: 'right' },
    { title: 'PHONE', field: 'phone' },
    { title: 'CARRIER', field: 'firm' },
    { title: 'SEGMENTS', field: 'parts', align: 'right' },
    { title: 'PRICE', field: 'price', align: 'right' },
  ],
};

export const submitShape: RecordShape = {
  fields: fieldsOf('Submit'),
  columns: [...partColumns, { title: 'SUBMITTED (UTC)', field: 'submitted_at' }, { title: 'TASK', field: 'task_no' }],
};

export const deliveryShape: RecordShape = {
  fields: fieldsOf('Delivery'),
  columns: [...partColumns, { title: 'RECEIVED (UTC)', field: 'received_at' }, { title: 'TASK', field: 'task_no' }],
};

/** What happened to a number, one thing a line. */
export const numberEventShape: RecordShape = {
  fields: ['at', 'event', 'status', 'code', 'part', 'firm', 'task_no', 'text'],
  columns: [
    { title: 'TIME (UTC)', field: 'at' },
    { title: 'EVENT', field: 'event' },
    { title: 'STATUS', field: 'status', hasOutcomes: true },
    { title: 'CODE', field: 'code' },
    { title: 'SEGMENT', field: 'part', dispensable: 3 },
    { title: 'CARRIER', field: 'firm', dispensable: 2 },
    { title: 'TASK', field: 'task_no', dispensable: 4 },
    { title: 'TEXT', field: 'text', dispensable: 1 },
  ],
};

export const accountShape: RecordShape = {
  fields: fieldsOf('Account', 'customer_no', 'currency', 'available', 'frozen'),
  columns: [
    { title: 'CURRENCY', field: 'currency' },
    { title: 'AVAILABLE', field: 'available', align: 'right' },
    { title: 'RESERVED', field: 'frozen', align: 'right' },
    { title: 'BILLING', field: 'billing_mode' },
    { title: 'CREDIT LIMIT', field: 'credit_limit', align: 'right' },
  ],
};

export const webhookShape: RecordShape = {
  fields: fieldsOf('Webhook', 'webhook_no'),
  columns: [
    { title: 'WEBHOOK', field: 'webhook_no' },
    { title: 'STATUS', field: 'status' },
    { title: 'EVENTS', field: 'events' },
    { title: 'URL', field: 'url' },
    { title: 'DISABLED BECAUSE', field: 'disabled_reason', dispensable: 1 },
  ],
};

export const newWebhookShape: RecordShape = {
  fields: fieldsOf('NewWebhook', 'webhook_no'),
  columns: [
    { title: 'WEBHOOK', field: 'webhook_no' },
    { title: 'URL', field: 'url' },
    { title: 'SECRET', field: 'secret' },
  ],
};

export const attemptShape: RecordShape = {
  fields: fieldsOf('WebhookAttempt').filter((field) => field !== 'id'),
  columns: [
    { title: 'TIME (UTC)', field: 'at' },
    { title: 'EVENT', field: 'event' },
    { title: 'STATUS', field: 'status', align: 'right' },
    { title: 'MS', field: 'latency_ms', align: 'right' },
    { title: 'ITEMS', field: 'items', align: 'right', dispensable: 2 },
    { title: 'ERROR', field: 'error' },
    { title: 'MESSAGE', field: 'message_id', dispensable: 1 },
  ],
};

export const statisticShape: RecordShape = {
  fields: fieldsOf('Statistic'),
  columns: [
    { title: 'OF', field: 'key' },
    { title: 'NUMBERS', field: 'total', align: 'right' },
    { title: 'DELIVERED', field: 'delivered', align: 'right' },
    { title: 'SHARE', field: 'delivered_share', align: 'right' },
    { title: 'UNDELIVERED', field: 'undelivered', align: 'right', dispensable: 3 },
    { title: 'EXPIRED', field: 'expired', align: 'right', dispensable: 2 },
    { title: 'REJECTED', field: 'rejected', align: 'right', dispensable: 4 },
    { title: 'CANCELLED', field: 'cancelled', align: 'right', dispensable: 5 },
    { title: 'SEGMENTS', field: 'parts', align: 'right', dispensable: 1 },
    { title: 'CHARGED', field: 'charged', align: 'right' },
  ],
};

export const balanceShape: RecordShape = {
  fields: fieldsOf('BalanceAt'),
  columns: [
    { title: 'AT THE END OF', field: 'key' },
    { title: 'AVAILABLE', field: 'available', align: 'right' },
    { title: 'RESERVED', field: 'frozen', align: 'right' },
  ],
};

/** The rows of a statement: balances at its ends, and sums of entries between them. */
export const entrySumShape: RecordShape = {
  fields: ['what', 'count', 'amount', 'available', 'frozen'],
  columns: [
    { title: '', field: 'what' },
    { title: 'ENTRIES', field: 'count', align: 'right' },
    { title: 'AMOUNT', field: 'amount', align: 'right' },
    { title: 'AVAILABLE', field: 'available', align: 'right' },
    { title: 'RESERVED', field: 'frozen', align: 'right' },
  ],
};
