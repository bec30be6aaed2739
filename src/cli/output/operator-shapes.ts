import { showAll, showSome } from './columns.js';
import { fieldsOf } from './fields-of.js';
import type { RecordShape } from './records.js';

export const firmShape = showSome(fieldsOf('Firm'), 'firm name prefixes');
export const channelShape = showSome(
  fieldsOf('Channel', 'channel_no'),
  'channel_no name kind firms status parts_per_second health.state',
);
export const channelKindShape = showSome(['kind', 'name', 'fields'], 'kind name');
export const channelTestShape = showSome(
  [
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
  'created_at phone status code report.status report.code upstream_message_id created_by',
);
export const channelEventShape = showSome(fieldsOf('ChannelEvent', 'event_no', 'at', 'event'), 'at event owner detail');
export const failureShape = showSome(
  fieldsOf('Failure', 'at'),
  'at customer_no task_no seq part phone firm upstream_message_id',
);
export const customerShape = showSome(
  fieldsOf('Customer', 'customer_no'),
  'customer_no name status currency account.available account.frozen unit_price',
);
export const customerViewShape = showAll('customer_no name token expires_at');
export const operatorShape = showAll('operator_no name role status created_at');
export const newOperatorShape = showAll('operator_no name role token');
export const userShape = showAll('user_no email name role status last_signed_in_at');
export const newUserShape = showAll('user_no email role invitation_url');
export const passwordResetShape = showAll('user_no email password_reset_url password_reset_expires_at');
export const identityShape = showAll('name role permissions');
export const credentialShape = showSome(
  fieldsOf('Credential', 'api_key'),
  'api_key name status scopes last_used_at expires_at',
);
export const newCredentialShape = showAll('api_key api_secret');
export const onboardingShape = showAll(
  'customer.customer_no service_account.service_account_no template.template_no user.user_no user.invitation_url credential.api_key credential.api_secret topup.available_after',
);
export const grantShape = showAll('channel_no created_at');
export const priceShape = showSome(fieldsOf('Price'), 'firm class prefix unit_price valid_from');
export const filingShape = showAll('channel_no status signature reason updated_at');
export const blockedWordsShape = showAll('blocked_word_no words customer_no created_at');
export const erasureShape = showAll('erasure_no status waits_for hash counts remark created_by created_at done_at');
export const recoveryShape = showAll(fieldsOf('Recovery').join(' '));
export const releaseShape = showAll('state marked_tasks marked_numbers paused_tasks');
export const underWayShape = showAll('customer_no tasks numbers waiting_tasks');
export const blockedContentShape = showAll('at customer_no task_no word numbers');
export const routeShape = showAll(
  'phone to customer_no template_no service_account_no class text code firm firms unit_price',
);
export const explainedChannelShape = showAll('channel_no name is_used reason');
export const operatorStatisticShape = showAll(fieldsOf('OperatorStatistic').join(' '));
export const serviceAccountShape = showSome(
  fieldsOf('ServiceAccount', 'service_account_no'),
  'service_account_no name sender status',
);
export const ownServiceAccountShape: RecordShape = {
  ...serviceAccountShape,
  fields: fieldsOf('OwnServiceAccount', 'service_account_no'),
};
export const templateShape = showSome(
  fieldsOf('Template', 'template_no'),
  'template_no name class status service_account_no firms body',
);
export const reviewShape = showSome(
  fieldsOf('Review', 'customer_no', 'customer_name', 'template_no'),
  'submitted_at customer_no template_no name class revision example.text',
);
export const templatePreviewShape = showAll('text encoding parts variables');
export const ownTemplateShape = showSome(
  fieldsOf('OwnTemplate', 'template_no'),
  'template_no name class status variables service_account_no firms body',
);
export const usableFirmShape = showSome(fieldsOf('UsableFirm'), 'firm name unit_price currency prefixes');
export const capExemptionShape = showAll('phone created_at');
export const optOutShape = showAll('phone source created_at');
export const unknownPartShape = showSome(
  fieldsOf('UnknownPart').filter((field) => field !== 'text'),
  'deadline customer_no task_no seq phone firm channel_no submitted_at',
);
export const numberCustomerShape = showSome(
  fieldsOf('NumberCustomer', 'at'),
  'at customer_no name event status code task_no',
);
export const setAsideShape = showSome(
  fieldsOf('SetAside'),
  'kind customer_no task_no channel_no tries next_try_at reason',
);
export const keptReportShape = showAll(fieldsOf('KeptReport', 'received_at').join(' '));
export const unclaimedUplinkShape = showAll(fieldsOf('UnclaimedUplink', 'received_at').join(' '));
export const auditShape = showAll('at actor action subject change');
