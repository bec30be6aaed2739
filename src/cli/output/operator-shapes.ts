import { ChannelFields } from '../../domain/entities/channel.js';
import { CredentialFields } from '../../domain/entities/credential.js';
import { CustomerFields } from '../../domain/entities/customer.js';
import { FirmFields, UsableFirmFields } from '../../domain/entities/firm.js';
import { RateFields } from '../../domain/entities/rate.js';
import { OwnServiceAccountFields, ServiceAccountFields } from '../../domain/entities/service-account.js';
import { SubmittedTemplateFields, TemplateFields } from '../../domain/entities/template.js';
import { pathsOf } from '../entity-options.js';
import type { RecordShape } from './records.js';

/** Fields whose name is not the word that is used for them: see docs/reference/words.md. */
const WORDS: Readonly<Record<string, string>> = {
  firm: 'carrier',
  firms: 'carriers',
  part: 'segment',
  parts: 'segments',
  parts_per_second: 'segments_per_second',
  frozen: 'reserved',
  service_account_no: 'sender_no',
};

function formatTitle(field: string): string {
  const name = field.split('.').at(-1) ?? field;
  const title = name === 'at' ? 'time (UTC)' : name.replace(/_at$/, ' (UTC)');
  return title
    .replace(/^\w+/, (first) => WORDS[first] ?? first)
    .replaceAll('_', ' ')
    .toUpperCase();
}

/** A title for each field, for records that are small enough to be shown whole. */
function showAll(...fields: readonly string[]): RecordShape {
  return { fields, columns: fields.map((field) => ({ title: formatTitle(field), field })) };
}

export const firmShape: RecordShape = {
  ...showAll('firm', 'name', 'prefixes'),
  fields: pathsOf(FirmFields),
};
export const channelShape: RecordShape = {
  ...showAll('channel_no', 'name', 'kind', 'firms', 'status', 'parts_per_second', 'health.state'),
  fields: ['channel_no', ...pathsOf(ChannelFields), 'health'],
};
export const channelKindShape: RecordShape = {
  fields: ['kind', 'name', 'fields'],
  columns: [
    { title: 'KIND', field: 'kind' },
    { title: 'NAME', field: 'name' },
  ],
};
export const channelTestShape: RecordShape = {
  ...showAll(
    'created_at',
    'phone',
    'status',
    'code',
    'report.status',
    'report.code',
    'upstream_message_id',
    'created_by',
  ),
  fields: [
    'test_no',
    'phone',
    'sender',
    'text',
    'status',
    'code',
    'upstream_message_id',
    'report.status',
    'report.code',
    'report.received_at',
    'created_by',
    'created_at',
    'submitted_at',
    'answered_at',
  ],
};
export const channelEventShape: RecordShape = {
  ...showAll('at', 'event', 'owner', 'detail'),
  fields: ['event_no', 'at', 'event', 'owner', 'detail'],
};
export const failureShape: RecordShape = {
  ...showAll('at', 'customer_no', 'task_no', 'seq', 'part', 'phone', 'firm', 'upstream_message_id'),
  fields: [
    'at',
    'event',
    'code',
    'customer_no',
    'task_no',
    'seq',
    'part',
    'parts',
    'phone',
    'firm',
    'upstream_message_id',
  ],
};
export const customerShape: RecordShape = {
  ...showAll('customer_no', 'name', 'status', 'currency', 'account.available', 'account.frozen', 'unit_price'),
  fields: ['customer_no', ...pathsOf(CustomerFields), 'bucket', 'account.available', 'account.frozen'],
};
export const customerViewShape = showAll('customer_no', 'name', 'token', 'expires_at');
export const operatorShape = showAll('operator_no', 'name', 'role', 'status', 'created_at');
export const newOperatorShape = showAll('operator_no', 'name', 'role', 'token');
export const userShape = showAll('user_no', 'email', 'name', 'role', 'status', 'last_signed_in_at');
export const newUserShape = showAll('user_no', 'email', 'role', 'invitation_url');
export const passwordResetShape = showAll('user_no', 'email', 'password_reset_url', 'password_reset_expires_at');
export const identityShape = showAll('name', 'role', 'permissions');
export const credentialShape: RecordShape = {
  ...showAll('api_key', 'name', 'status', 'scopes', 'last_used_at', 'expires_at'),
  fields: ['api_key', ...pathsOf(CredentialFields), 'status', 'created_at', 'revoked_at', 'last_used_at'],
};
export const newCredentialShape = showAll('api_key', 'api_secret');
export const onboardingShape = showAll(
  'customer.customer_no',
  'service_account.service_account_no',
  'template.template_no',
  'user.user_no',
  'user.invitation_url',
  'credential.api_key',
  'credential.api_secret',
  'topup.available_after',
);
export const grantShape = showAll('channel_no', 'created_at');
export const priceShape: RecordShape = {
  ...showAll('firm', 'class', 'prefix', 'unit_price', 'valid_from'),
  fields: pathsOf(RateFields),
};
export const filingShape = showAll('channel_no', 'status', 'signature', 'reason', 'updated_at');
export const blockedWordsShape = showAll('blocked_word_no', 'words', 'customer_no', 'created_at');
export const erasureShape = showAll(
  'erasure_no',
  'status',
  'waits_for',
  'hash',
  'counts',
  'remark',
  'created_by',
  'created_at',
  'done_at',
);
export const recoveryShape = showAll(
  'state',
  'reason',
  'detail',
  'held_at',
  'system_identifier',
  'timeline',
  'under_way',
);
export const releaseShape = showAll('state', 'marked_tasks', 'marked_numbers', 'paused_tasks');
export const underWayShape = showAll('customer_no', 'tasks', 'numbers', 'waiting_tasks');
export const blockedContentShape = showAll('at', 'customer_no', 'task_no', 'word', 'numbers');
export const routeShape = showAll(
  'phone',
  'to',
  'customer_no',
  'template_no',
  'service_account_no',
  'class',
  'text',
  'code',
  'firm',
  'unit_price',
);
export const explainedChannelShape = showAll('channel_no', 'name', 'is_used', 'reason');
export const operatorStatisticShape = showAll(
  'key',
  'name',
  'currency',
  'numbers',
  'parts',
  'delivered',
  'charged',
  'refunded',
  'cost',
  'margin',
);
export const serviceAccountShape: RecordShape = {
  ...showAll('service_account_no', 'name', 'sender', 'status'),
  fields: ['service_account_no', ...pathsOf(ServiceAccountFields)],
};
export const ownServiceAccountShape: RecordShape = {
  ...serviceAccountShape,
  fields: ['service_account_no', ...pathsOf(OwnServiceAccountFields)],
};
export const templateShape: RecordShape = {
  ...showAll('template_no', 'name', 'class', 'status', 'service_account_no', 'firms', 'body'),
  fields: ['template_no', ...pathsOf(TemplateFields), 'revision', 'reason', 'submitted_at', 'reviewed_at'],
};
export const reviewShape: RecordShape = {
  ...showAll('submitted_at', 'customer_no', 'template_no', 'name', 'class', 'revision', 'example.text'),
  fields: [
    'customer_no',
    'customer_name',
    'template_no',
    'name',
    'class',
    'service_account_no',
    'sender',
    'firms',
    'revision',
    'submitted_at',
    'body',
    'approved_body',
    'example',
    'decisions',
  ],
};
export const templatePreviewShape = showAll('text', 'encoding', 'parts', 'variables');
export const ownTemplateShape: RecordShape = {
  ...showAll('template_no', 'name', 'class', 'status', 'variables', 'service_account_no', 'firms', 'body'),
  fields: [
    'template_no',
    ...pathsOf(SubmittedTemplateFields),
    'status',
    'revision',
    'reason',
    'submitted_at',
    'reviewed_at',
    'variables',
  ],
};
export const usableFirmShape: RecordShape = {
  ...showAll('firm', 'name', 'unit_price', 'currency', 'prefixes'),
  fields: [...pathsOf(UsableFirmFields), 'unit_price', 'currency'],
};
export const capExemptionShape = showAll('phone', 'created_at');
export const optOutShape = showAll('phone', 'source', 'created_at');
export const unknownPartShape: RecordShape = {
  ...showAll('deadline', 'customer_no', 'task_no', 'seq', 'phone', 'firm', 'channel_no', 'submitted_at'),
  fields: [
    'customer_no',
    'task_no',
    'client_request_id',
    'seq',
    'phone',
    'firm',
    'part',
    'parts',
    'price',
    'currency',
    'channel_no',
    'submit_no',
    'upstream_message_id',
    'submitted_at',
    'since',
    'deadline',
  ],
};
export const numberCustomerShape: RecordShape = {
  ...showAll('at', 'customer_no', 'name', 'event', 'status', 'code', 'task_no'),
  fields: ['at', 'customer_no', 'name', 'phone', 'event', 'status', 'code', 'task_no', 'opted_out_at'],
};
export const setAsideShape: RecordShape = {
  ...showAll('kind', 'customer_no', 'task_no', 'channel_no', 'tries', 'next_try_at', 'reason'),
  fields: ['kind', 'customer_no', 'task_no', 'channel_no', 'node', 'parts', 'reason', 'tries', 'since', 'next_try_at'],
};
export const keptReportShape = showAll('received_at', 'channel_no', 'message_id', 'phone', 'status', 'code', 'done_at');
export const unclaimedUplinkShape = showAll(
  'received_at',
  'channel_no',
  'sender',
  'recipient',
  'content',
  'incomplete',
);
export const auditShape = showAll('at', 'actor', 'action', 'subject', 'change');
