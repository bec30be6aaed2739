import type { RecordShape } from './records.js';

// How each kind of record is shown. `fields` follow the order of the API reference; `columns` are the glance.

export const taskShape: RecordShape = {
  fields: [
    'task_no',
    'client_request_id',
    'batch_id',
    'title',
    'template_no',
    'class',
    'service_account_no',
    'target_firms',
    'auto_prepare',
    'auto_freeze',
    'auto_submit',
    'stage',
    'accounting_state',
    'receipt_state',
    'failure',
    'waits_for',
    'next_send_at',
    'send_at',
    'expires_at',
    'counts.total',
    'counts.unsent',
    'counts.rejected',
    'counts.unknown',
    'counts.awaiting',
    'counts.delivered',
    'counts.undelivered',
    'counts.expired',
    'amounts.currency',
    'amounts.price',
    'amounts.frozen',
    'amounts.charged',
    'amounts.released',
    'amounts.refunded',
    'amounts.held',
    'created_at',
    'updated_at',
    'completed_at',
  ],
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
  fields: [
    'batch_id',
    'title',
    'tasks',
    'deleted_tasks',
    'stages',
    'paused',
    'moves',
    ...taskShape.fields.filter((field) => field.startsWith('counts.') || field.startsWith('amounts.')),
    'created_at',
    'updated_at',
    'completed_at',
  ],
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
  fields: [
    'task_no',
    'client_request_id',
    'seq',
    'phone',
    'firm',
    'result',
    'code',
    'description',
    'parts',
    'price',
    'charged',
    'submitted_at',
    'done_at',
    'received_at',
  ],
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
  fields: ['uplink_no', 'phone', 'service_account_no', 'firm', 'content', 'task_no', 'received_at'],
  columns: [
    { title: 'PHONE', field: 'phone' },
    { title: 'RECEIVED (UTC)', field: 'received_at' },
    { title: 'SENDER', field: 'service_account_no', dispensable: 1 },
    { title: 'TASK', field: 'task_no', dispensable: 2 },
    { title: 'CONTENT', field: 'content' },
  ],
};

export const ledgerShape: RecordShape = {
  fields: [
    'ledger_no',
    'seq',
    'type',
    'amount',
    'currency',
    'task_no',
    'numbers',
    'available_delta',
    'frozen_delta',
    'available_after',
    'frozen_after',
    'remark',
    'created_at',
  ],
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

const partFields = ['task_no', 'seq', 'phone', 'firm', 'part', 'parts', 'status', 'code', 'upstream_message_id'];

const partColumns: RecordShape['columns'] = [
  { title: 'PHONE', field: 'phone' },
  { title: 'SEGMENT', field: 'part', align: 'right' },
  { title: 'OF', field: 'parts', align: 'right' },
  { title: 'STATUS', field: 'status', hasOutcomes: true },
  { title: 'CODE', field: 'code', dispensable: 2 },
  { title: 'UPSTREAM ID', field: 'upstream_message_id', dispensable: 1 },
];

export const unsentShape: RecordShape = {
  fields: ['seq', 'phone', 'firm', 'parts', 'price'],
  columns: [
    { title: 'SEQ', field: 'seq', align: 'right' },
    { title: 'PHONE', field: 'phone' },
    { title: 'CARRIER', field: 'firm' },
    { title: 'SEGMENTS', field: 'parts', align: 'right' },
    { title: 'PRICE', field: 'price', align: 'right' },
  ],
};

export const submitShape: RecordShape = {
  fields: ['submit_no', ...partFields, 'submitted_at', 'answered_at'],
  columns: [...partColumns, { title: 'SUBMITTED (UTC)', field: 'submitted_at' }, { title: 'TASK', field: 'task_no' }],
};

export const deliveryShape: RecordShape = {
  fields: ['delivery_no', ...partFields, 'done_at', 'received_at'],
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
  fields: [
    'customer_no',
    'currency',
    'available',
    'frozen',
    'billing_mode',
    'credit_limit',
    'charge_on',
    'refund_on_failure',
    'daily_limit',
    'frozen_today',
    'low_balance',
    'ledger_seq',
  ],
  columns: [
    { title: 'CURRENCY', field: 'currency' },
    { title: 'AVAILABLE', field: 'available', align: 'right' },
    { title: 'RESERVED', field: 'frozen', align: 'right' },
    { title: 'BILLING', field: 'billing_mode' },
    { title: 'CREDIT LIMIT', field: 'credit_limit', align: 'right' },
  ],
};

export const webhookShape: RecordShape = {
  fields: [
    'webhook_no',
    'url',
    'events',
    'description',
    'status',
    'verified_at',
    'disabled_reason',
    'disabled_at',
    'old_secret_until',
    'progress',
    'created_at',
    'updated_at',
  ],
  columns: [
    { title: 'WEBHOOK', field: 'webhook_no' },
    { title: 'STATUS', field: 'status' },
    { title: 'EVENTS', field: 'events' },
    { title: 'URL', field: 'url' },
    { title: 'DISABLED BECAUSE', field: 'disabled_reason', dispensable: 1 },
  ],
};

export const newWebhookShape: RecordShape = {
  fields: [...webhookShape.fields, 'secret'],
  columns: [
    { title: 'WEBHOOK', field: 'webhook_no' },
    { title: 'URL', field: 'url' },
    { title: 'SECRET', field: 'secret' },
  ],
};

export const attemptShape: RecordShape = {
  fields: [
    'attempt_no',
    'event',
    'message_id',
    'items',
    'at',
    'status',
    'error',
    'latency_ms',
    'request_body',
    'response_status',
    'response_body',
  ],
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
  fields: [
    'key',
    'total',
    'delivered',
    'undelivered',
    'expired',
    'rejected',
    'cancelled',
    'handed_over',
    'parts',
    'charged',
  ],
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
  fields: ['key', 'available', 'frozen'],
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
