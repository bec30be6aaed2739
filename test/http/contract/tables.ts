// The tables of the contract, as names. Written by hand and never taken from the code: only so does the comparison say
// something. A name that is dropped or renamed there fails a test; one that is added to a table is a line here, on purpose.

const task = `task_no client_request_id batch_id title template_no class service_account_no target_firms auto_prepare auto_freeze auto_submit
  stage accounting_state receipt_state failure waits_for next_send_at send_at expires_at counts cancelled amounts created_at updated_at completed_at`;
const batch =
  'batch_id title tasks deleted_tasks stages paused moves counts cancelled amounts created_at updated_at completed_at';
const send = `template_no phones recipients service_account_no target_firms variable_values client_request_id batch_id title
  auto_prepare auto_freeze auto_submit send_at expires_at`;
const ofPart = 'task_no seq phone firm part parts status code upstream_message_id';
const ledger = `ledger_no seq type amount currency task_no numbers available_delta frozen_delta available_after frozen_after
  remark created_at title client_request_id`;

interface PromisedList {
  readonly filters: string;
  readonly item: string;
  /** Whether `start_at` and `end_at` narrow it. */
  readonly timed: boolean;
}

/** The lists of records and of batches: exactly these filters and fields. */
export const lists: Readonly<Record<string, PromisedList>> = {
  '/openapi/v1/messages/tasks/': {
    filters: 'client_request_id stage template_no batch_id class title words',
    item: task,
    timed: true,
  },
  '/openapi/v1/messages/receipts/': {
    filters: 'task_no client_request_id phone result batch_id firm include cancelled',
    item: `task_no client_request_id seq phone firm result code description parts price charged submitted_at done_at received_at text`,
    timed: true,
  },
  '/openapi/v1/messages/uplinks/': {
    filters: 'phone service_account_no',
    item: 'uplink_no phone service_account_no firm content task_no received_at',
    timed: true,
  },
  '/openapi/v1/finance/ledgers/': { filters: 'task_no type batch_id', item: ledger, timed: true },
  '/openapi/v1/downstream/submits/': {
    filters: 'task_no phone status batch_id',
    item: `submit_no ${ofPart} submitted_at answered_at`,
    timed: true,
  },
  '/openapi/v1/downstream/deliveries/': {
    filters: 'task_no phone status batch_id',
    item: `delivery_no ${ofPart} done_at received_at`,
    timed: true,
  },
  '/openapi/v1/messages/batches/': { filters: 'title', item: batch, timed: true },
};

/** A call, the fields of its body, and the fields of its answer (of an item, where that is a list). */
type PromisedCall = readonly [call: string, body: string, answer: string];

const moves = ['prepare', 'freeze', 'submit', 'cancel', 'pause', 'resume'];

/** What else a customer calls. */
export const customerCalls: readonly PromisedCall[] = [
  ['POST /openapi/v1/messages/send/', send, task],
  ['GET /openapi/v1/messages/tasks/{task_no}/', '', `${task} template_body variable_values timeline verification`],
  ['PATCH /openapi/v1/messages/tasks/{task_no}/', 'send_at', task],
  ...moves.map((move): PromisedCall => [`POST /openapi/v1/messages/tasks/{task_no}/${move}/`, '', task]),
  [
    'POST /openapi/v1/messages/preview/',
    send,
    'total sendable rejected parts price currency available affordable firms rejections samples',
  ],
  ['GET /openapi/v1/messages/batches/{batch_id}/', '', batch],
  ...moves.map(
    (move): PromisedCall => [`POST /openapi/v1/messages/batches/{batch_id}/${move}/`, '', `${batch} applied`],
  ),
  ['GET /openapi/v1/finance/account/', '', 'available frozen currency'],
  ['GET /openapi/v1/finance/statements/{month}/', '', 'month currency opening closing entries days templates firms'],
  [
    'GET /openapi/v1/messages/statistics/',
    '',
    'key total delivered undelivered expired rejected cancelled handed_over parts charged',
  ],
  ['GET /openapi/v1/templates/', '', 'template_no body class service_account_no'],
  ['POST /openapi/v1/templates/', 'name body class service_account_no firms', 'template_no status'],
  ['GET /openapi/v1/service-accounts/', '', 'service_account_no sender'],
  ['GET /openapi/v1/firms/', '', 'firm unit_price'],
  ['GET /openapi/v1/opt-outs/', '', 'phone'],
  ['POST /openapi/v1/webhooks/', 'url events description', 'webhook_no secret'],
  ['GET /openapi/v1/webhooks/', '', 'webhook_no url events description'],
  ['GET /openapi/v1/webhooks/{webhook_no}/', '', 'webhook_no url events description'],
  ['PATCH /openapi/v1/webhooks/{webhook_no}/', 'url events description', 'webhook_no'],
  ['DELETE /openapi/v1/webhooks/{webhook_no}/', '', ''],
  ['POST /openapi/v1/webhooks/{webhook_no}/rotate/', '', 'secret'],
  ['POST /openapi/v1/webhooks/{webhook_no}/test/', '', ''],
  ['POST /openapi/v1/webhooks/{webhook_no}/replay/', 'from', ''],
  ['GET /openapi/v1/webhooks/{webhook_no}/attempts/', '', ''],
];

const customer = `name status currency billing_mode credit_limit charge_on refund_on_failure unit_price policy
  requests_per_second daily_limit low_balance send_windows caps billing_time_zone`;
const channel = 'name kind firms status parts_per_second config failover_codes requires_filing';
const template = 'name body class service_account_no firms status';
const account = 'name sender signature signature_position';
const filing = 'channel_no status reason';
const rate = 'firm class prefix unit_price valid_from';
const of = (rest: string) => `customers/{customer_no}/${rest}`;

/** Section 8 and 18, below `/operator/v1/`. */
export const operatorCalls: readonly PromisedCall[] = [
  ['POST firms', 'firm name prefixes', 'firm name prefixes'],
  ['PATCH firms/{firm}', 'name prefixes', 'firm name prefixes'],
  ['GET firms', '', 'firm name prefixes'],
  ['POST channels', channel, `${channel} channel_no health`],
  ['PATCH channels/{channel_no}', channel, `${channel} channel_no health`],
  ['GET channels', '', `${channel} channel_no health`],
  [
    'GET channels/{channel_no}/failures',
    '',
    'event code customer_no task_no seq part parts phone firm upstream_message_id at',
  ],
  ['POST customers', customer, `${customer} customer_no`],
  ['PATCH customers/{customer_no}', customer, `${customer} customer_no`],
  ['GET customers', '', `${customer} customer_no`],
  [`POST ${of('credentials')}`, 'ip_allow scopes', 'api_key api_secret'],
  [`DELETE ${of('credentials/{api_key}')}`, '', 'api_key'],
  [`GET ${of('credentials')}`, '', 'api_key ip_allow scopes'],
  [`POST ${of('grants')}`, 'channel_no', 'channel_no'],
  [`GET ${of('grants')}`, '', 'channel_no'],
  [`DELETE ${of('grants/{channel_no}')}`, '', 'channel_no'],
  [`POST ${of('prices')}`, rate, rate],
  [`GET ${of('prices')}`, '', rate],
  ['POST channels/{channel_no}/costs', rate, rate],
  ['GET channels/{channel_no}/costs', '', rate],
  ['GET statistics', '', ''],
  [`POST ${of('service-accounts/{service_account_no}/filings')}`, filing, filing],
  [`GET ${of('service-accounts/{service_account_no}/filings')}`, '', filing],
  ['POST erasures', 'phone remark', 'erasure_no counts'],
  ['GET erasures/{erasure_no}', '', 'erasure_no counts'],
  ['POST blocked-words', 'words customer_no', 'words customer_no blocked_word_no'],
  ['GET blocked-words', '', 'words customer_no blocked_word_no'],
  ['DELETE blocked-words/{blocked_word_no}', '', 'blocked_word_no'],
  [`POST ${of('service-accounts')}`, account, `${account} service_account_no`],
  [`GET ${of('service-accounts')}`, '', `${account} service_account_no`],
  [`POST ${of('templates')}`, template, `${template} template_no`],
  [`PATCH ${of('templates/{template_no}')}`, template, `${template} template_no`],
  [`GET ${of('templates')}`, '', `${template} template_no`],
  [`POST ${of('templates/{template_no}/review')}`, 'decision reason', 'template_no status'],
  ['GET reviews', '', 'template_no customer_no body'],
  [`POST ${of('topups')}`, 'amount remark reference', ledger],
  [`GET ${of('topups')}`, '', ledger],
  [`POST ${of('adjustments')}`, 'amount remark reference', ledger],
  [`GET ${of('adjustments')}`, '', ledger],
  [`POST ${of('opt-outs')}`, 'phone', 'phone'],
  [`DELETE ${of('opt-outs/{phone}')}`, '', 'phone'],
  [`GET ${of('opt-outs')}`, '', 'phone'],
  ...['prepare', 'freeze', 'submit', 'cancel'].map((move): PromisedCall => [`POST tasks/{task_no}/${move}`, '', task]),
  ['POST tasks/{task_no}/resolve', 'outcome seqs remark', task],
  ['GET tasks', '', task],
  ['GET audit', '', 'at actor action subject change'],
  ['POST operators', 'name role', 'operator_no token'],
  ['GET operators', '', 'operator_no name role'],
  ['PATCH operators/{operator_no}', 'role', 'operator_no role'],
  ['DELETE operators/{operator_no}', '', 'operator_no'],
];

/** Objects within answers: exactly these fields, by schema and field. */
export const parts: readonly (readonly [place: string, fields: string])[] = [
  ['Task/counts', 'total unsent rejected unknown awaiting delivered undelivered expired'],
  ['Task/amounts', 'currency price frozen charged released refunded held'],
  ['TaskDetail/timeline', 'stage at'],
  ['TaskDetail/verification', 'since deadline unknown'],
  ['Preview/firms', 'firm numbers parts unit_price price'],
  ['Preview/rejections', 'seq phone code description suggested_phone'],
  ['Preview/samples', 'seq phone text encoding parts price'],
  ['Statement/opening', 'available frozen'],
  ['Statement/closing', 'available frozen'],
  ['Statement/entries', 'freeze charge release refund topup adjustment'],
];

/** Closed sets of words, by schema and field. */
export const words: readonly (readonly [place: string, words: string])[] = [
  ['Task/stage', 'queued prepared submitting waiting_receipt submit_unknown completed failed cancelled'],
  ['Task/accounting_state', 'none insufficient_funds frozen settling settled'],
  ['Task/receipt_state', 'none pending partial complete'],
  ['Task/waits_for', 'prepare freeze submit funds limit send_at window resume channel receipts verification'],
  ['Receipt/result', 'delivered undelivered expired rejected'],
  ['Submit/status', 'accepted rejected unknown'],
  ['Delivery/status', 'delivered undelivered expired rejected intermediate'],
  ['LedgerEntry/type', 'freeze charge release refund topup adjustment'],
  ['Customer/status', 'active suspended'],
  ['Customer/billing_mode', 'prepaid postpaid'],
  ['Customer/charge_on', 'submit delivery'],
  ['Operator/role', 'admin support finance viewer'],
  ['Credential/scopes', 'send read finance webhooks admin masked'],
  [
    'Webhook/events',
    'receipts uplinks task.finished batch.finished account.low template.reviewed statement.ready webhook.disabled',
  ],
  [
    'Fault/code',
    `required type too_long too_short too_many too_few out_of_range format exactly_one_of not_allowed_together requires
      unknown_field unknown_variable missing_variable`,
  ],
];

/** Codes of problems by their status. */
export const problems: Readonly<Record<number, string>> = {
  400: 'malformed_json invalid_request page_too_deep',
  401: 'missing_credentials timestamp_out_of_range invalid_signature invalid_credentials',
  403: 'customer_suspended ip_not_allowed not_permitted',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  409: 'idempotency_conflict invalid_stage insufficient_funds already_exists last_admin',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'template_unavailable service_account_unavailable firm_unavailable',
  429: 'rate_limited',
  503: 'unavailable',
};

/** Sections 9 and 11. */
export const simulatorDefaults = {
  answer_ms: 0,
  receipt_ms: 0,
  deliver_rate: 1,
  reject_rate: 0,
  unknown_rate: 0,
  test_numbers: true,
};
export const smppDefaults = {
  tls: false,
  bind: 'transceiver',
  sessions: 1,
  window: 10,
  enquire_link_ms: 30_000,
  response_timeout_ms: 10_000,
  message_id_format: 'auto',
};
