import { fieldsOf } from './fields-of.js';
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
  fields: fieldsOf('Firm'),
};
export const channelShape: RecordShape = {
  ...showAll('channel_no', 'name', 'kind', 'firms', 'status', 'parts_per_second', 'health.state'),
  fields: fieldsOf('Channel', 'channel_no'),
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
  fields: fieldsOf('ChannelEvent', 'event_no', 'at', 'event'),
};
export const failureShape: RecordShape = {
  ...showAll('at', 'customer_no', 'task_no', 'seq', 'part', 'phone', 'firm', 'upstream_message_id'),
  fields: fieldsOf('Failure', 'at'),
};
export const customerShape: RecordShape = {
  ...showAll('customer_no', 'name', 'status', 'currency', 'account.available', 'account.frozen', 'unit_price'),
  fields: fieldsOf('Customer', 'customer_no'),
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
  fields: fieldsOf('Credential', 'api_key'),
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
  fields: fieldsOf('Price'),
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
export const recoveryShape = showAll(...fieldsOf('Recovery'));
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
export const operatorStatisticShape = showAll(...fieldsOf('OperatorStatistic'));
export const serviceAccountShape: RecordShape = {
  ...showAll('service_account_no', 'name', 'sender', 'status'),
  fields: fieldsOf('ServiceAccount', 'service_account_no'),
};
export const ownServiceAccountShape: RecordShape = {
  ...serviceAccountShape,
  fields: fieldsOf('OwnServiceAccount', 'service_account_no'),
};
export const templateShape: RecordShape = {
  ...showAll('template_no', 'name', 'class', 'status', 'service_account_no', 'firms', 'body'),
  fields: fieldsOf('Template', 'template_no'),
};
export const reviewShape: RecordShape = {
  ...showAll('submitted_at', 'customer_no', 'template_no', 'name', 'class', 'revision', 'example.text'),
  fields: fieldsOf('Review', 'customer_no', 'customer_name', 'template_no'),
};
export const templatePreviewShape = showAll('text', 'encoding', 'parts', 'variables');
export const ownTemplateShape: RecordShape = {
  ...showAll('template_no', 'name', 'class', 'status', 'variables', 'service_account_no', 'firms', 'body'),
  fields: fieldsOf('OwnTemplate', 'template_no'),
};
export const usableFirmShape: RecordShape = {
  ...showAll('firm', 'name', 'unit_price', 'currency', 'prefixes'),
  fields: fieldsOf('UsableFirm'),
};
export const capExemptionShape = showAll('phone', 'created_at');
export const optOutShape = showAll('phone', 'source', 'created_at');
export const unknownPartShape: RecordShape = {
  ...showAll('deadline', 'customer_no', 'task_no', 'seq', 'phone', 'firm', 'channel_no', 'submitted_at'),
  fields: fieldsOf('UnknownPart').filter((field) => field !== 'text'),
};
export const numberCustomerShape: RecordShape = {
  ...showAll('at', 'customer_no', 'name', 'event', 'status', 'code', 'task_no'),
  fields: fieldsOf('NumberCustomer', 'at'),
};
export const setAsideShape: RecordShape = {
  ...showAll('kind', 'customer_no', 'task_no', 'channel_no', 'tries', 'next_try_at', 'reason'),
  fields: fieldsOf('SetAside'),
};
export const keptReportShape = showAll(...fieldsOf('KeptReport', 'received_at'));
export const unclaimedUplinkShape = showAll(...fieldsOf('UnclaimedUplink', 'received_at'));
export const auditShape = showAll('at', 'actor', 'action', 'subject', 'change');
